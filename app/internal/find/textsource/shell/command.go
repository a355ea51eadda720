package shell

import (
	"strings"

	"github.com/slicewright/slicewright/app/internal/find/evidence"
	"github.com/slicewright/slicewright/app/internal/find/textsource/detect"
	"github.com/slicewright/slicewright/app/internal/find/textsource/kubectl"
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

// talkers are commands whose arguments are printed.
var talkers = map[string]bool{"echo": true, "printf": true, "log": true, "info": true, "warn": true, "error": true, "die": true, "fatal": true, "logger": true, "fail": true, "debug": true, "alias": true, "grep": true, "egrep": true, "rg": true, "sed": true, "awk": true, "describe": true, "it": true, "say": true, "note": true, "usage": true, "help": true, "which": true, "command_exists": true, "write-host": true, "write-output": true, "write-error": true, "rem": true, ":": true}

// runners take a command line in a string.
var runners = map[string]bool{"sh": true, "bash": true, "ash": true, "dash": true, "zsh": true, "ksh": true, "eval": true, "ssh": true, "su": true, "watch": true, "trap": true, "xargs": true, "parallel": true, "script": true, "nsenter": true, "chroot": true, "docker": true, "podman": true, "kubectl": true, "oc": true, "timeout": true, "retry": true, "runuser": true, "sudo": true, "env": true, "vagrant": true, "multipass": true, "lxc": true, "until_true": true, "wait_for": true, "pwsh": true, "cmd": true}

// JudgeWords finds kubectl among words, wherever it is in them: behind sudo,
// timeout, xargs, a retry function. Strings that a shell will run are read in
// turn.
func JudgeWords(s *detect.Text, words []Word, aliases map[string]bool, depth int) {
	if len(words) == 0 {
		return
	}
	name := strings.ToLower(words[0].Values[0])
	name = strings.TrimLeft(name[strings.LastIndexByte(name, '/')+1:], "@-")
	if talkers[name] || strings.HasPrefix(name, "log_") || strings.HasPrefix(name, "print_") || strings.HasSuffix(name, "_log") {
		return
	}
	for i, w := range words {
		for _, program := range w.Values {
			if program == "{}" || !kubectl.IsProgram(program) && !aliases[program] || (program == "k" || program == "oc" || program == "kc") && i > 0 && !runners[name] && name != "time" && name != "if" && name != "!" {
				continue
			}
			if r, ok, guessed := ParseWords(words[i+1:]); ok {
				r.Guessed = guessed
				s.Report(HitOf(w.Offset, r))
				return
			}
			break
		}
	}
	for _, w := range words {
		v := w.Values[0]
		if runners[name] && w.quoted && strings.Contains(v, " ") && depth < 3 {
			for _, r := range CommandsIn(v, s) {
				h := HitOf(w.Offset, r.Request)
				s.Report(h)
				return
			}
		}
		if p, ok := kubectl.ParsePath(v); ok && !strings.ContainsAny(v[:p.Start], " \n") && (!p.Cluster || s.CallsAPI()) {
			h := detect.Hit{Offset: w.Offset, Detector: "text/raw-path", Class: evidence.Reader, Confidence: evidence.Likely, Verb: p.Verb, Access: "raw-http", Namespace: detect.KnownNamespace(p.Namespace), Advice: detect.Advice(p.Verb)}
			if p.Namespace == "default" && p.Name == "kubernetes" {
				h.Class = evidence.APIServerDiscovery
			}
			for k, o := range words {
				if m := strings.ToUpper(o.Values[0]); o.Values[0] == "-X" && k+1 < len(words) || m == "-XPUT" || m == "-XPOST" || m == "-XPATCH" || m == "-XDELETE" {
					method := strings.TrimPrefix(m, "-X")
					if method == "" {
						method = strings.ToUpper(words[k+1].Values[0])
					}
					if v := map[string]string{"POST": "create", "PUT": "update", "PATCH": "patch", "DELETE": "delete"}[method]; v != "" {
						h.Verb, h.Class, h.Advice = v, evidence.Producer, detect.Advice(v)
					}
				}
			}
			s.Report(h)
			return
		}
	}
}

// foundCommand is a request in a command line.
type foundCommand struct {
	kubectl.Request
	Confidence evidence.Confidence
}

// CommandsIn reads a command line that stands in a string. {} are gaps.
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
