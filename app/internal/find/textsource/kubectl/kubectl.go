// Package kubectl reads a kubectl or oc command line and says whether it asks
// for Endpoints. It is pure; the words may come from a shell script, a
// container's args or a list in a program.
package kubectl

import (
	"path"
	"strings"
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

// IsProgram reports whether a word runs kubectl or a program that takes the
// same arguments.
func IsProgram(word string) bool {
	base := path.Base(strings.ReplaceAll(word, `\`, "/"))
	base = strings.TrimSuffix(strings.ToLower(base), ".exe")
	switch base {
	case "kubectl", "oc", "k", "kubecolor", "kc", "kctl":
		return true
	}
	return strings.HasPrefix(base, "kubectl-1.") || strings.HasPrefix(base, "kubectl_")
}

// verbs that name resources, and the API verb that they use for one object.
var verbs = map[string]string{
	"get": "get", "describe": "get", "wait": "watch", "delete": "delete",
	"edit": "update", "patch": "patch", "label": "patch", "annotate": "patch",
}

// valued are the flags that take the next word as their value. All others
// stand alone or carry it after "=".
var valued = map[string]bool{
	"-n": true, "--namespace": true, "-o": true, "--output": true, "-l": true, "--selector": true,
	"-f": true, "--filename": true, "-k": true, "--kustomize": true, "-L": true, "--label-columns": true,
	"--context": true, "--cluster": true, "--user": true, "--kubeconfig": true, "--server": true, "-s": true,
	"--token": true, "--as": true, "--as-group": true, "--as-uid": true, "--request-timeout": true,
	"--field-selector": true, "--sort-by": true, "--template": true, "--chunk-size": true, "--raw": true,
	"--for": true, "--timeout": true, "--subresource": true, "--certificate-authority": true,
	"--client-certificate": true, "--client-key": true, "--tls-server-name": true, "--cache-dir": true,
	"--profile": true, "--profile-output": true, "-v": true, "--v": true, "--vmodule": true, "-p": true, "--patch": true,
	"--patch-file": true, "--type": true, "--grace-period": true, "--field-manager": true, "--config": true,
	"--username": true, "--password": true, "--loglevel": true, "--log-flush-frequency": true,
}

// Parse reads the words after the program's name.
func Parse(args []string) (Request, bool) {
	var r Request
	var words []int // indices of what is no flag
	var raw string
	watch := false
	rawAt := -1
	skip := 0
	if len(args) > 0 && args[0] == "--" { // minikube kubectl -- get ep
		skip = 1
	}
	for i := skip; i < len(args); i++ {
		a := args[i]
		if a == "--" {
			break
		}
		if !strings.HasPrefix(a, "-") || a == "-" {
			words = append(words, i)
			continue
		}
		name, value, hasValue := strings.Cut(a, "=")
		at := i
		if !hasValue && len(name) > 2 && name[1] != '-' && (name[:2] == "-n" || name[:2] == "-o" || name[:2] == "-l") {
			name, value, hasValue = a[:2], a[2:], true // -nkube-system
		}
		if !hasValue && valued[name] && i+1 < len(args) {
			i++
			value, at = args[i], i
		}
		switch name {
		case "-n", "--namespace":
			r.Namespace = value
		case "-A", "--all-namespaces":
			r.Namespace = "*"
		case "-w", "--watch", "--watch-only":
			watch = !hasValue || value == "true"
		case "--raw":
			raw, rawAt = value, at
		}
	}
	if len(words) == 0 {
		return r, false
	}
	r.Command = args[words[0]]
	verb, ok := verbs[r.Command]
	if !ok {
		return r, rawAt >= 0 && rawRequest(&r, raw, rawAt)
	}
	if rawAt >= 0 {
		return r, rawRequest(&r, raw, rawAt)
	}
	if len(words) < 2 {
		return r, false
	}
	found := false
	first := args[words[1]]
	if strings.Contains(first, "/") {
		// TYPE/NAME: every further word is one of the same form.
		for _, i := range words[1:] {
			typ, name, _ := strings.Cut(args[i], "/")
			if IsResource(typ) {
				r.Word, r.Name, found = i, name, true
				break
			}
		}
	} else {
		for typ := range strings.SplitSeq(first, ",") {
			found = found || IsResource(typ)
		}
		r.Word = words[1]
		if len(words) > 2 {
			r.Name = args[words[2]]
		}
	}
	if !found {
		return r, false
	}
	r.Verb = verb
	switch {
	case watch:
		r.Verb = "watch"
	case verb == "get" && r.Name == "":
		r.Verb = "list"
	}
	return r, true
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

// IsResource reports whether a resource word means Endpoints of the core
// group: endpoints, ep, endpoints.v1. and the kind, in any case.
func IsResource(word string) bool {
	switch strings.ToLower(word) {
	case "endpoints", "endpoint", "ep", "endpoints.v1.", "endpoints.v1":
		return true
	}
	return false
}
