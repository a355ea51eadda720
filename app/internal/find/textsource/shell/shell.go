package shell

import (
	"bytes"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/slicewright/slicewright/app/internal/find/textsource/detect"
	"github.com/slicewright/slicewright/app/internal/find/textsource/kubectl"
	"github.com/slicewright/slicewright/app/internal/find/wordsearch"
)

// shell reads one script.
type shell struct {
	s    *detect.Text
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
	MaxBrackets   = 30_000 // in all, for those that only seem to be closed
	maxShellDepth = 500
)

var wordsShell = wordsearch.New("ndpoint") // and "ep", in mentionsCommands

// Scripts reads scripts by a parser.
type Scripts struct{}

func (Scripts) HasWord(data []byte) bool { return MentionsCommands(data) }

func (Scripts) Read(s *detect.Text, _ string, _ detect.File) { readShell(s) }

// readShell looks into a script. What the parser refuses is read line by line.
func readShell(s *detect.Text) {
	if !MentionsCommands(s.Data) {
		return
	}
	if len(s.Data) > maxShell || tooNested(s.Data) {
		s.Fail(0, "a script too long or too deeply nested to be parsed; read line by line")
		readCommandLines(s)
		return
	}
	file, err := parseShell(s.Data)
	if err != nil {
		s.Fail(shellErrorOffset(err), "shell syntax not understood; read line by line")
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
			if total++; depth > maxShellDepth || total > MaxBrackets {
				return true
			}
		case ')', ']', '}':
			depth = max(0, depth-1)
		}
	}
	return false
}

// MentionsCommands drops scripts without a word of ours: "ep" in the prefilter
// is in step and deploy too.
func MentionsCommands(data []byte) bool {
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
		if data[p-1] == 'e' && (p == 1 || !detect.IsWordByte(data[p-2])) && (p+1 == len(data) || !detect.IsWordByte(data[p+1])) {
			return true
		}
	}
	return false
}

func parseShell(data []byte) (file *syntax.File, err error) {
	// The parser is well tested, but any script can be its input.
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
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Assign:
			sh.assign(n)
		case *syntax.WordIter:
			for _, w := range n.Items {
				for _, v := range sh.word(w).Values {
					sh.hold(n.Name.Value, strings.Fields(v))
				}
			}
		case *syntax.CallExpr:
			sh.alias(n)
		case *syntax.FuncDecl:
			if n.Name != nil && strings.Contains(strings.ToLower(n.Name.Value), "kubectl") {
				sh.aliases[n.Name.Value] = true
			}
		}
		return true
	})
}

// hold adds values that a variable can have.
func (sh *shell) hold(name string, values []string) {
	for _, v := range values {
		if len(sh.vars[name]) < detect.MaxValues && len(v) < 512 {
			sh.vars[name] = append(sh.vars[name], v)
		}
	}
}

func (sh *shell) assign(n *syntax.Assign) {
	switch {
	case n.Name == nil:
	case n.Value != nil:
		sh.hold(n.Name.Value, sh.word(n.Value).Values)
	case n.Array != nil:
		for _, e := range n.Array.Elems {
			if e.Value != nil {
				sh.hold(n.Name.Value, sh.word(e.Value).Values)
			}
		}
	}
}

// alias reads alias k=kubectl.
func (sh *shell) alias(n *syntax.CallExpr) {
	if len(n.Args) < 2 || n.Args[0].Lit() != "alias" {
		return
	}
	for _, a := range n.Args[1:] {
		name, value, ok := strings.Cut(sh.word(a).Values[0], "=")
		if first, _, _ := strings.Cut(value, " "); ok && kubectl.IsProgram(first) {
			sh.aliases[name] = true
		}
	}
}

// word evaluates a word as far as can be seen.
func (sh *shell) word(w *syntax.Word) Word {
	f := detect.Possible{All: []string{""}}
	out := Word{Offset: int(w.Pos().Offset())}
	for _, p := range w.Parts {
		sh.part(&f, p, &out.quoted)
	}
	out.Values = f.All
	return out
}

func (sh *shell) part(f *detect.Possible, p syntax.WordPart, quoted *bool) {
	switch p := p.(type) {
	case *syntax.Lit:
		f.Append([]string{strings.ReplaceAll(p.Value, "\\\n", "")})
	case *syntax.SglQuoted:
		*quoted = true
		f.Append([]string{p.Value})
	case *syntax.DblQuoted:
		*quoted = true
		for _, q := range p.Parts {
			sh.part(f, q, quoted)
		}
	case *syntax.ParamExp:
		f.Append(sh.parameter(p))
	default:
		f.Append([]string{"{}"})
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
			values = append(values[:len(values):len(values)], sh.word(p.Exp.Word).Values...)
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
	words := make([]Word, 0, len(n.Args))
	for _, a := range n.Args {
		w := sh.word(a)
		if first := w.Values[0]; !w.quoted && strings.Contains(first, " ") {
			// An unquoted variable falls into words: KUBECTL="kubectl -n web".
			for _, f := range strings.Fields(first) {
				words = append(words, Word{Values: []string{f}, Offset: w.Offset})
			}
			continue
		}
		words = append(words, w)
	}
	JudgeWords(sh.s, words, sh.aliases)
}

// heredoc reads what a here-document holds: a manifest, or a script.
func (sh *shell) heredoc(stmt *syntax.Stmt, r *syntax.Redirect) {
	start, end := int(r.Hdoc.Pos().Offset()), int(r.Hdoc.End().Offset())
	if start < 0 || end > len(sh.s.Data) || start >= end {
		return
	}
	in := sh.s.Slice(start, end)
	if in == nil {
		return
	}
	if detect.LooksLikeYAML(string(in.Data)) {
		in.Read("", detect.File{Kind: detect.YAML, Embedded: true})
		return
	}
	if c, ok := stmt.Cmd.(*syntax.CallExpr); ok && len(c.Args) > 0 {
		if name := sh.word(c.Args[0]).Values[0]; commands.Runners[name[strings.LastIndexByte(name, '/')+1:]] {
			readShell(in)
		}
	}
}
