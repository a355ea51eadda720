package textsource

import (
	"strings"

	"github.com/slicewright/slicewright/app/internal/find/evidence"
	"github.com/slicewright/slicewright/app/internal/find/textsource/kubectl"
)

// adviceKubectl is the EndpointSlice way of kubectl get endpoints.
const adviceKubectl = "Use kubectl get endpointslices -l kubernetes.io/service-name=NAME and read endpoints[].addresses with their conditions."

// word is one word of a command: every value that it can be seen to take,
// with {} for what only the run will tell.
type word struct {
	values []string
	offset int
	quoted bool
}

// talkers are commands whose arguments are printed.
var talkers = map[string]bool{"echo": true, "printf": true, "log": true, "info": true, "warn": true, "error": true, "die": true, "fatal": true, "logger": true, "fail": true, "debug": true, "alias": true, "grep": true, "egrep": true, "rg": true, "sed": true, "awk": true, "describe": true, "it": true, "say": true, "note": true, "usage": true, "help": true, "which": true, "command_exists": true, "write-host": true, "write-output": true, "write-error": true, "rem": true, ":": true}

// runners take a command line in a string.
var runners = map[string]bool{"sh": true, "bash": true, "ash": true, "dash": true, "zsh": true, "ksh": true, "eval": true, "ssh": true, "su": true, "watch": true, "trap": true, "xargs": true, "parallel": true, "script": true, "nsenter": true, "chroot": true, "docker": true, "podman": true, "kubectl": true, "oc": true, "timeout": true, "retry": true, "runuser": true, "sudo": true, "env": true, "vagrant": true, "multipass": true, "lxc": true, "until_true": true, "wait_for": true, "pwsh": true, "cmd": true}

// judgeCommand finds kubectl among words, wherever it is in them: behind sudo,
// timeout, xargs, a retry function. Strings that a shell will run are read in
// turn.
func judgeCommand(s *source, words []word, aliases map[string]bool, depth int) {
	if len(words) == 0 {
		return
	}
	name := strings.ToLower(words[0].values[0])
	name = strings.TrimLeft(name[strings.LastIndexByte(name, '/')+1:], "@-")
	if talkers[name] || strings.HasPrefix(name, "log_") || strings.HasPrefix(name, "print_") || strings.HasSuffix(name, "_log") {
		return
	}
	for i, w := range words {
		for _, program := range w.values {
			if program == "{}" || !kubectl.IsProgram(program) && !aliases[program] || (program == "k" || program == "oc" || program == "kc") && i > 0 && !runners[name] && name != "time" && name != "if" && name != "!" {
				continue
			}
			if r, ok, guessed := parseArguments(words[i+1:]); ok {
				r.Guessed = guessed
				s.report(commandHit(w.offset, r))
				return
			}
			break
		}
	}
	for _, w := range words {
		v := w.values[0]
		if runners[name] && w.quoted && strings.Contains(v, " ") && depth < 3 {
			for _, r := range commandsIn(v, s) {
				h := commandHit(w.offset, r.Request)
				s.report(h)
				return
			}
		}
		if p, ok := kubectl.ParsePath(v); ok && !strings.ContainsAny(v[:p.Start], " \n") && (!p.Cluster || s.callsAPI()) {
			h := hit{offset: w.offset, detector: "text/raw-path", class: evidence.Reader, confidence: evidence.Likely, verb: p.Verb, access: "raw-http", namespace: namespaceOf(p.Namespace), advice: advice(p.Verb)}
			if p.Namespace == "default" && p.Name == "kubernetes" {
				h.class = evidence.APIServerDiscovery
			}
			for k, o := range words {
				if m := strings.ToUpper(o.values[0]); o.values[0] == "-X" && k+1 < len(words) || m == "-XPUT" || m == "-XPOST" || m == "-XPATCH" || m == "-XDELETE" {
					method := strings.TrimPrefix(m, "-X")
					if method == "" {
						method = strings.ToUpper(words[k+1].values[0])
					}
					if v := map[string]string{"POST": "create", "PUT": "update", "PATCH": "patch", "DELETE": "delete"}[method]; v != "" {
						h.verb, h.class, h.advice = v, evidence.Producer, advice(v)
					}
				}
			}
			s.report(h)
			return
		}
	}
}

// foundCommand is a request in a command line.
type foundCommand struct {
	kubectl.Request
	confidence evidence.Confidence
}

// commandsIn reads a command line that stands in a string. {} are gaps.
func commandsIn(line string, parent *source) []foundCommand {
	if len(line) > maxShell || !mentionsCommands([]byte(line)) {
		return nil
	}
	var hits []hit
	in := parent.detached([]byte(line), &hits)
	if in == nil {
		return nil
	}
	readShell(in)
	var out []foundCommand
	for _, h := range hits {
		r := kubectl.Request{Verb: h.verb, Raw: h.access == "raw-http", Namespace: h.namespace, Guessed: h.confidence == evidence.Possible}
		if h.class == evidence.Tooling {
			r.Command = "describe"
		}
		if h.class == evidence.APIServerDiscovery {
			r.Name = "kubernetes"
		}
		out = append(out, foundCommand{Request: r, confidence: h.confidence})
	}
	return out
}

// commandHit is what a kubectl call amounts to.
func commandHit(offset int, r kubectl.Request) hit {
	h := hit{
		offset: offset, detector: "text/kubectl", class: classOf(r.Verb), confidence: evidence.Likely,
		verb: r.Verb, access: r.Verb, namespace: namespaceOf(r.Namespace), advice: adviceKubectl,
	}
	switch {
	case r.Raw:
		h.detector, h.access, h.advice = "text/kubectl-raw", "raw-http", advice(r.Verb)
	case classOf(r.Verb) == evidence.Producer:
		h.advice = advice(r.Verb)
	case r.Command == "describe":
		h.class = evidence.Tooling
	}
	if r.Name == "kubernetes" && h.class == evidence.Reader {
		h.class = evidence.APIServerDiscovery
	}
	if r.Guessed {
		h.confidence = evidence.Possible
		h.note = "The resource is put together at run time."
	}
	return h
}

func wordsOf(args []word) []string {
	words := make([]string, len(args))
	for i, a := range args {
		words[i] = a.values[0]
	}
	return words
}

// parseArguments tries every value of a word that has several; guessed says
// that such a word decided.
func parseArguments(args []word) (kubectl.Request, bool, bool) {
	words := wordsOf(args)
	if r, ok := kubectl.Parse(words); ok {
		return r, true, len(args[r.Word].values) > 1
	}
	for k, a := range args {
		for _, v := range a.values[min(1, len(a.values)):] {
			words[k] = v
			if r, ok := kubectl.Parse(words); ok {
				return r, true, true
			}
		}
		words[k] = a.values[0]
	}
	return kubectl.Request{}, false, false
}
