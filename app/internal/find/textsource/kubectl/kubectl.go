// Package kubectl reads a kubectl or oc command line and says whether it asks
// for Endpoints. It is pure; the words may come from a shell script, a
// container's args or a list in a program.
package kubectl

import (
	_ "embed"
	"path"
	"strings"

	"github.com/slicewright/slicewright/app/internal/find/textsource/table"
)

// Request is one command line that touches Endpoints.
type Request struct {
	// Verb is the API verb: get, list, watch, delete, patch, update.
	Verb string
	// Command is kubectl's own: get, describe, wait, …
	Command string
	// Word is the index, in the words given, of the word that names the
	// resource or holds the raw path.
	Word int
	// Name is the object's name; empty for a list.
	Name string
	// Namespace is the value of -n; "*" for all of them; empty if not given.
	Namespace string
	// Raw says that it is an HTTP path (get --raw).
	Raw bool
	// Guessed says that the resource was put together at run time.
	Guessed bool
}

// Unknown stands for a word, or a part of one, that only the run will tell.
const Unknown = "\x00"

//go:embed kubectl.yaml
var commandTable []byte

var commands = table.Load[struct {
	Programs  table.Set         `yaml:"programs"`
	Prefixes  table.Set         `yaml:"prefixes"`
	Verbs     map[string]string `yaml:"verbs"`
	Resources table.Set         `yaml:"resources"`
	Valued    table.Set         `yaml:"valued"`
}]("kubectl.yaml", commandTable)

// IsProgram reports whether a word runs kubectl or a program that takes the
// same arguments.
func IsProgram(word string) bool {
	base := path.Base(strings.ReplaceAll(word, `\`, "/"))
	base = strings.TrimSuffix(strings.ToLower(base), ".exe")
	return commands.Programs[base] || commands.Prefixes.BeginsAny(base)
}

// Parse reads the words after the program's name.
func Parse(args []string) (Request, bool) {
	l := readFlags(args)
	r := Request{Namespace: l.namespace}
	if len(l.words) == 0 {
		return r, false
	}
	r.Command = args[l.words[0]]
	verb, ok := commands.Verbs[r.Command]
	switch {
	case l.rawAt >= 0:
		return r, rawRequest(&r, l.raw, l.rawAt)
	case !ok || len(l.words) < 2 || !r.object(args, l.words[1:]):
		return r, false
	}
	r.Verb = verb
	switch {
	case l.watch:
		r.Verb = "watch"
	case verb == "get" && r.Name == "":
		r.Verb = "list"
	}
	return r, true
}

// commandLine is a command line with its flags read.
type commandLine struct {
	words     []int // indices of what is no flag
	namespace string
	watch     bool
	raw       string
	rawAt     int // index of raw; -1 without one
}

// readFlags tells flags and their values from words.
func readFlags(args []string) commandLine {
	l := commandLine{rawAt: -1}
	i := 0
	if len(args) > 0 && args[0] == "--" { // minikube kubectl -- get ep
		i = 1
	}
	for ; i < len(args) && args[i] != "--"; i++ {
		if !strings.HasPrefix(args[i], "-") || args[i] == "-" {
			l.words = append(l.words, i)
			continue
		}
		name, value, hasValue := cutFlag(args[i])
		if !hasValue && commands.Valued[name] && i+1 < len(args) {
			i++
			value = args[i]
		}
		switch name {
		case "-n", "--namespace":
			l.namespace = value
		case "-A", "--all-namespaces":
			l.namespace = "*"
		case "-w", "--watch", "--watch-only":
			l.watch = !hasValue || value == "true"
		case "--raw":
			l.raw, l.rawAt = value, i
		}
	}
	return l
}

// cutFlag splits a flag from the value that is in the same word, as in
// -nkube-system.
func cutFlag(word string) (name, value string, hasValue bool) {
	name, value, hasValue = strings.Cut(word, "=")
	if !hasValue && len(name) > 2 {
		switch short := name[:2]; short {
		case "-n", "-o", "-l":
			return short, word[2:], true
		}
	}
	return name, value, hasValue
}

// object reads what the command is about, and reports whether Endpoints are
// part of it. words are the indices of the resource and what follows it.
func (r *Request) object(args []string, words []int) bool {
	first := args[words[0]]
	if strings.Contains(first, "/") {
		// TYPE/NAME: every further word has the same form.
		for _, i := range words {
			typ, name, _ := strings.Cut(args[i], "/")
			if IsResource(typ) {
				r.Word, r.Name = i, name
				return true
			}
		}
		return false
	}
	found := false
	for typ := range strings.SplitSeq(first, ",") {
		found = found || IsResource(typ)
	}
	r.Word = words[0]
	if len(words) > 1 {
		r.Name = args[words[1]]
	}
	return found
}

// rawRequest reads the path of --raw.
func rawRequest(r *Request, rawPath string, at int) bool {
	p, ok := ParsePath(rawPath)
	if !ok {
		return false
	}
	r.Raw, r.Word, r.Verb, r.Name = true, at, p.Verb, p.Name
	if r.Command == "delete" {
		r.Verb = "delete"
	}
	if p.Namespace != "" {
		r.Namespace = p.Namespace
	}
	return true
}

// IsResource reports whether a resource word means Endpoints of the core group.
func IsResource(word string) bool { return commands.Resources[strings.ToLower(word)] }
