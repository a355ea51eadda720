package textsource

import (
	"bytes"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/slicewright/slicewright/app/internal/find/evidence"
	"github.com/slicewright/slicewright/app/internal/find/textsource/kubectl"
)

// shellWord is one word of a command: every value that it can be seen to take,
// with {} for what only the run will tell.
type shellWord struct {
	values []string
	offset int
	quoted bool
}

// shell reads one script.
type shell struct {
	s    *source
	vars map[string][]string
	// aliases are other names of kubectl: functions and aliases.
	aliases map[string]bool
}

// What is given to the shell's parser is bounded, since it descends by
// recursion without a limit of its own and a stack that overflows cannot be
// caught: five kilobytes of stack for a bracket, at most, and half of one for
// any other byte were measured, of the gigabyte that there is.
const (
	maxShell      = 1 << 20
	maxBrackets   = 30_000 // in all, for those that only seem to be closed
	maxShellDepth = 500
)

// readShell looks into a script. What the parser refuses is read line by line.
func readShell(s *source) {
	if !mentionsCommands(s.data) {
		return
	}
	if len(s.data) > maxShell || tooNested(s.data) {
		s.fail(0, "a script too long or too deeply nested to be parsed; read line by line")
		readCommandLines(s)
		return
	}
	file, err := parseShell(s.data)
	if err != nil {
		s.fail(shellErrorOffset(err), "shell syntax not understood; read line by line")
		readCommandLines(s)
		return
	}
	sh := &shell{s: s, vars: map[string][]string{}, aliases: map[string]bool{}}
	sh.collect(file)
	syntax.Walk(file, sh.visit)
}

// tooNested counts brackets without regard to quotes.
func tooNested(data []byte) bool {
	depth, total := 0, 0
	for _, c := range data {
		switch c {
		case '(', '[', '{':
			depth++
			if total++; depth > maxShellDepth || total > maxBrackets {
				return true
			}
		case ')', ']', '}':
			depth = max(0, depth-1)
		}
	}
	return false
}

// mentionsCommands drops scripts without a word of ours: "ep" in the prefilter
// is in step and deploy too.
func mentionsCommands(data []byte) bool {
	if wordsShell.In(data) {
		return true
	}
	// By its second letter, which is the rarer one by far.
	for p := 1; p < len(data); p++ {
		i := bytes.IndexByte(data[p:], 'p')
		if i < 0 {
			return false
		}
		p += i
		if data[p-1] == 'e' && (p == 1 || !isWordByte(data[p-2])) && (p+1 == len(data) || !isWordByte(data[p+1])) {
			return true
		}
	}
	return false
}

func isWordByte(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

func parseShell(data []byte) (file *syntax.File, err error) {
	// The parser is well tested, but a stranger's script is its input.
	defer func() {
		if r := recover(); r != nil {
			err = syntax.ParseError{Text: "parser failed"}
		}
	}()
	for _, variant := range []syntax.LangVariant{syntax.LangBash, syntax.LangMirBSDKorn} {
		if file, err = syntax.NewParser(syntax.Variant(variant)).Parse(bytes.NewReader(data), ""); err == nil {
			return file, nil
		}
	}
	return nil, err
}

func shellErrorOffset(err error) int {
	if pe, ok := err.(syntax.ParseError); ok {
		return int(pe.Pos.Offset())
	}
	return 0
}

// collect reads assignments, loops, aliases and wrappers before anything is
// judged: a script defines above and below.
func (sh *shell) collect(file *syntax.File) {
	add := func(name string, values []string) {
		for _, v := range values {
			if len(sh.vars[name]) < maxValues && len(v) < 512 {
				sh.vars[name] = append(sh.vars[name], v)
			}
		}
	}
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Assign:
			if n.Name != nil && n.Value != nil {
				add(n.Name.Value, sh.word(n.Value).values)
			} else if n.Name != nil && n.Array != nil {
				for _, e := range n.Array.Elems {
					if e.Value != nil {
						add(n.Name.Value, sh.word(e.Value).values)
					}
				}
			}
		case *syntax.WordIter:
			for _, w := range n.Items {
				for _, v := range sh.word(w).values {
					add(n.Name.Value, strings.Fields(v))
				}
			}
		case *syntax.CallExpr:
			if len(n.Args) > 1 && n.Args[0].Lit() == "alias" {
				for _, a := range n.Args[1:] {
					name, value, ok := strings.Cut(sh.word(a).values[0], "=")
					if first, _, _ := strings.Cut(value, " "); ok && kubectl.IsProgram(first) {
						sh.aliases[name] = true
					}
				}
			}
		case *syntax.FuncDecl:
			if n.Name != nil && strings.Contains(strings.ToLower(n.Name.Value), "kubectl") {
				sh.aliases[n.Name.Value] = true
			}
		}
		return true
	})
}

// word evaluates a word as far as can be seen.
func (sh *shell) word(w *syntax.Word) shellWord {
	f := folded{values: []string{""}}
	out := shellWord{offset: int(w.Pos().Offset())}
	for _, p := range w.Parts {
		sh.part(&f, p, &out.quoted)
	}
	out.values = f.values
	return out
}

func (sh *shell) part(f *folded, p syntax.WordPart, quoted *bool) {
	switch p := p.(type) {
	case *syntax.Lit:
		f.append([]string{strings.ReplaceAll(p.Value, "\\\n", "")})
	case *syntax.SglQuoted:
		*quoted = true
		f.append([]string{p.Value})
	case *syntax.DblQuoted:
		*quoted = true
		for _, q := range p.Parts {
			sh.part(f, q, quoted)
		}
	case *syntax.ParamExp:
		f.append(sh.parameter(p))
	default:
		f.append([]string{"{}"})
	}
}

// parameter looks a variable up, and its default when it has one.
func (sh *shell) parameter(p *syntax.ParamExp) []string {
	if p.Param == nil || p.Length || p.Excl {
		return []string{"{}"}
	}
	values := sh.vars[p.Param.Value]
	if p.Exp != nil && p.Exp.Word != nil {
		switch p.Exp.Op {
		case syntax.DefaultUnset, syntax.DefaultUnsetOrNull, syntax.AssignUnset, syntax.AssignUnsetOrNull:
			values = append(values[:len(values):len(values)], sh.word(p.Exp.Word).values...)
		}
	}
	if len(values) > 0 {
		return values
	}
	if name := strings.ToLower(p.Param.Value); strings.Contains(name, "kubectl") {
		return []string{"kubectl"}
	} else if name == "oc" {
		return []string{"oc"}
	}
	return []string{"{}"}
}

// visit judges one node of the tree.
func (sh *shell) visit(n syntax.Node) bool {
	switch n := n.(type) {
	case *syntax.CallExpr:
		sh.command(n)
	case *syntax.Stmt:
		for _, r := range n.Redirs {
			if r.Hdoc != nil {
				sh.heredoc(n, r)
			}
		}
	}
	return true
}

// command judges one simple command.
func (sh *shell) command(n *syntax.CallExpr) {
	if len(n.Args) == 0 {
		return
	}
	words := make([]shellWord, 0, len(n.Args))
	for _, a := range n.Args {
		w := sh.word(a)
		if first := w.values[0]; !w.quoted && strings.Contains(first, " ") {
			// An unquoted variable falls into words: KUBECTL="kubectl -n web".
			for _, f := range strings.Fields(first) {
				words = append(words, shellWord{values: []string{f}, offset: w.offset})
			}
			continue
		}
		words = append(words, w)
	}
	judgeCommand(sh.s, words, sh.aliases, 0)
}

// talkers are commands whose arguments are printed.
var talkers = map[string]bool{"echo": true, "printf": true, "log": true, "info": true, "warn": true, "error": true, "die": true, "fatal": true, "logger": true, "fail": true, "debug": true, "alias": true, "grep": true, "egrep": true, "rg": true, "sed": true, "awk": true, "describe": true, "it": true, "say": true, "note": true, "usage": true, "help": true, "which": true, "command_exists": true, "write-host": true, "write-output": true, "write-error": true, "rem": true, ":": true}

// runners take a command line in a string.
var runners = map[string]bool{"sh": true, "bash": true, "ash": true, "dash": true, "zsh": true, "ksh": true, "eval": true, "ssh": true, "su": true, "watch": true, "trap": true, "xargs": true, "parallel": true, "script": true, "nsenter": true, "chroot": true, "docker": true, "podman": true, "kubectl": true, "oc": true, "timeout": true, "retry": true, "runuser": true, "sudo": true, "env": true, "vagrant": true, "multipass": true, "lxc": true, "until_true": true, "wait_for": true, "pwsh": true, "cmd": true}

// judgeCommand finds kubectl among words, wherever it is in them: behind sudo,
// timeout, xargs, a retry function. Strings that a shell will run are read in
// turn.
func judgeCommand(s *source, words []shellWord, aliases map[string]bool, depth int) {
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
			args := make([]argument, len(words)-i-1)
			for k, a := range words[i+1:] {
				args[k] = argument{values: a.values, offset: a.offset}
			}
			if r, ok, guessed := parseArguments(args); ok {
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
	in := parent.inner([]byte(line), func(int) int { return 0 })
	if in == nil {
		return nil
	}
	in.calls = -1
	if parent.callsAPI() {
		in.calls = 1
	}
	in.parent, in.out, in.problem = nil, &hits, func(int, string) {}
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

// heredoc reads what a here-document holds: a manifest, or a script.
func (sh *shell) heredoc(stmt *syntax.Stmt, r *syntax.Redirect) {
	start, end := int(r.Hdoc.Pos().Offset()), int(r.Hdoc.End().Offset())
	if start < 0 || end > len(sh.s.data) || start >= end {
		return
	}
	in := sh.s.slice(start, end)
	if in == nil {
		return
	}
	if looksLikeYAML(string(in.data)) {
		readYAMLText(in, "", yamlOptions{quiet: true})
		return
	}
	if c, ok := stmt.Cmd.(*syntax.CallExpr); ok && len(c.Args) > 0 {
		if name := sh.word(c.Args[0]).values[0]; runners[name[strings.LastIndexByte(name, '/')+1:]] {
			readShell(in)
			return
		}
	}
	if r.Word != nil {
		return
	}
}
