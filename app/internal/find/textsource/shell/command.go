package shell

import (
	_ "embed"
	"strings"

	"github.com/slicewright/slicewright/app/internal/find/evidence"
	"github.com/slicewright/slicewright/app/internal/find/textsource/detect"
	"github.com/slicewright/slicewright/app/internal/find/textsource/kubectl"
	"github.com/slicewright/slicewright/app/internal/find/textsource/table"
)

// adviceKubectl is the EndpointSlice way of kubectl get endpoints.
const adviceKubectl = "Use kubectl get endpointslices -l kubernetes.io/service-name=NAME and read endpoints[].addresses with their conditions."

// Word is one word of a command: every value that it can be seen to take,
// with {} for what only the run will tell.
type Word struct {
	Values []string
	Offset int
	quoted bool
}

//go:embed commands.yaml
var commandTable []byte

var commands = table.Load[struct {
	Talkers        table.Set         `yaml:"talkers"`
	TalkerPrefixes table.Set         `yaml:"talker_prefixes"`
	TalkerSuffixes table.Set         `yaml:"talker_suffixes"`
	Runners        table.Set         `yaml:"runners"`
	Short          table.Set         `yaml:"short"`
	After          table.Set         `yaml:"after"`
	Leading        table.Set         `yaml:"leading"`
	Methods        map[string]string `yaml:"methods"`
}]("commands.yaml", commandTable)

// JudgeWords finds kubectl among words, wherever it is in them: behind sudo,
// timeout, xargs, a retry function. Strings that a shell will run are read in
// turn.
func JudgeWords(s *detect.Text, words []Word, aliases map[string]bool) {
	if len(words) == 0 {
		return
	}
	name := programName(words[0].Values[0])
	if talks(name) || judgeProgram(s, name, words, aliases) {
		return
	}
	for _, w := range words {
		v := w.Values[0]
		if commands.Runners[name] && w.quoted && strings.Contains(v, " ") {
			for _, r := range CommandsIn(v, s) {
				s.Report(HitOf(w.Offset, r.Request))
				return
			}
		}
		if p, ok := kubectl.ParsePath(v); ok && !strings.ContainsAny(v[:p.Start], " \n") && (!p.Cluster || s.CallsAPI()) {
			s.Report(requestHit(w.Offset, p, words))
			return
		}
	}
}

// programName is a command's name without its folder and a Makefile's marks.
func programName(word string) string {
	name := strings.ToLower(word)
	return strings.TrimLeft(name[strings.LastIndexByte(name, '/')+1:], "@-")
}

// talks reports whether a command only prints or searches what it is given.
func talks(name string) bool {
	return commands.Talkers[name] || commands.TalkerPrefixes.BeginsAny(name) || commands.TalkerSuffixes.EndsAny(name)
}

// judgeProgram reports the first kubectl among words that asks for Endpoints,
// and whether there is one.
func judgeProgram(s *detect.Text, name string, words []Word, aliases map[string]bool) bool {
	for i, w := range words {
		for _, program := range w.Values {
			if program == "{}" || !kubectl.IsProgram(program) && !aliases[program] {
				continue
			}
			if commands.Short[program] && i > 0 && !commands.Runners[name] && !commands.After[name] {
				continue
			}
			if r, ok, guessed := ParseWords(words[i+1:]); ok {
				r.Guessed = guessed
				s.Report(HitOf(w.Offset, r))
				return true
			}
			break
		}
	}
	return false
}

// requestHit is a request by HTTP among the words of a command such as curl,
// whose -X says what it does.
func requestHit(offset int, p kubectl.Path, words []Word) detect.Hit {
	h := detect.Hit{Offset: offset, Detector: "text/raw-path", Class: evidence.Reader, Confidence: evidence.Likely, Verb: p.Verb, Access: "raw-http", Namespace: detect.KnownNamespace(p.Namespace), Advice: detect.Advice(p.Verb)}
	if p.Namespace == "default" && p.Name == "kubernetes" {
		h.Class = evidence.APIServerDiscovery
	}
	for k, w := range words {
		method, found := strings.CutPrefix(strings.ToUpper(w.Values[0]), "-X")
		if !found {
			continue
		}
		if w.Values[0] == "-X" && k+1 < len(words) {
			method = strings.ToUpper(words[k+1].Values[0])
		}
		if v := commands.Methods[method]; v != "" {
			h.Verb, h.Class, h.Advice = v, evidence.Producer, detect.Advice(v)
		}
	}
	return h
}

// foundCommand is a request in a command line.
type foundCommand struct {
	kubectl.Request
	Confidence evidence.Confidence
}

// CommandsIn reads a command line in a string. {} are gaps.
func CommandsIn(line string, parent *detect.Text) []foundCommand {
	if len(line) > maxShell || !MentionsCommands([]byte(line)) {
		return nil
	}
	var hits []detect.Hit
	in := parent.Detached([]byte(line), &hits)
	if in == nil {
		return nil
	}
	readShell(in)
	var out []foundCommand
	for _, h := range hits {
		r := kubectl.Request{Verb: h.Verb, Raw: h.Access == "raw-http", Namespace: h.Namespace, Guessed: h.Confidence == evidence.Possible}
		if h.Class == evidence.Tooling {
			r.Command = "describe"
		}
		if h.Class == evidence.APIServerDiscovery {
			r.Name = "kubernetes"
		}
		out = append(out, foundCommand{Request: r, Confidence: h.Confidence})
	}
	return out
}

// HitOf is what a kubectl call amounts to.
func HitOf(offset int, r kubectl.Request) detect.Hit {
	h := detect.Hit{
		Offset: offset, Detector: "text/kubectl", Class: detect.ClassOf(r.Verb), Confidence: evidence.Likely,
		Verb: r.Verb, Access: r.Verb, Namespace: detect.KnownNamespace(r.Namespace), Advice: adviceKubectl,
	}
	switch {
	case r.Raw:
		h.Detector, h.Access, h.Advice = "text/kubectl-raw", "raw-http", detect.Advice(r.Verb)
	case detect.ClassOf(r.Verb) == evidence.Producer:
		h.Advice = detect.Advice(r.Verb)
	case r.Command == "describe":
		h.Class = evidence.Tooling
	}
	if r.Name == "kubernetes" && h.Class == evidence.Reader {
		h.Class = evidence.APIServerDiscovery
	}
	if r.Guessed {
		h.Confidence = evidence.Possible
		h.Note = "The resource is put together at run time."
	}
	return h
}

func wordsOf(args []Word) []string {
	words := make([]string, len(args))
	for i, a := range args {
		words[i] = a.Values[0]
	}
	return words
}

// ParseWords tries every value of a word that has several; guessed says
// that such a word decided.
func ParseWords(args []Word) (kubectl.Request, bool, bool) {
	words := wordsOf(args)
	if r, ok := kubectl.Parse(words); ok {
		return r, true, len(args[r.Word].Values) > 1
	}
	for k, a := range args {
		for _, v := range a.Values[min(1, len(a.Values)):] {
			words[k] = v
			if r, ok := kubectl.Parse(words); ok {
				return r, true, true
			}
		}
		words[k] = a.Values[0]
	}
	return kubectl.Request{}, false, false
}
