package chart

import (
	"bytes"
	"path"
	"strings"
)

// Place is where a rendered line was written. Lines has one number, from 1, when
// it can be told, several when they would all give that line, and no number when
// nothing in the chart looks like it.
type Place struct {
	File  string
	Lines []int
	// Column is in bytes, from 1, in Lines[0].
	Column int
}

// Known reports whether the line could be told.
func (p Place) Known() bool { return len(p.Lines) == 1 }

// minStatic is how much text of its own a line of a template must have to be
// told by it: "- role:" has enough, "{{ . }}:" has not.
const minStatic = 4

// Place tells where line number of a template's output was written: in the
// template, in a helper that it includes, or in a values file that it prints. A
// line that is only text must be the same but for its indentation; where a line
// has actions, any text can take their place.
func (r *Rendered) Place(t *Template, number, column int) Place {
	line := lineOf(t.Text, number)
	if t.own != nil {
		if p := find(t.File, t.own, true, line, column); len(p.Lines) > 0 {
			return p
		}
	}
	if strings.HasSuffix(t.File, ".tgz") {
		return Place{File: t.File}
	}
	var last Place
	for _, f := range r.tree.files {
		helper := strings.HasPrefix(path.Base(f.Name), "_")
		if !helper && path.Base(f.Name) != "values.yaml" {
			continue
		}
		p := find(path.Join(r.Dir, f.Name), f.Data, helper, line, column)
		if len(p.Lines) == 0 {
			continue
		}
		if last.Lines != nil { // two files have it: neither is certain
			return Place{File: t.File}
		}
		last = p
	}
	if last.Lines != nil {
		return last
	}
	return Place{File: t.File}
}

// Has reports whether a line of a template's own text can have given any line of
// its output.
func (t *Template) Has(number int) bool {
	lines, inside := splitTemplate(t.own)
	if number < 1 || number > len(lines) || inside[number-1] {
		return true // not to be told
	}
	m := newLinePattern(lines[number-1])
	if m.static < minStatic {
		return true
	}
	for line := range strings.Lines(t.Text) {
		if m.matches(strings.TrimSpace(line)) {
			return true
		}
	}
	return false
}

func find(file string, text []byte, template bool, line string, column int) Place {
	p := Place{File: file}
	want := strings.TrimSpace(line)
	if len(want) < minStatic {
		return p
	}
	lines := strings.Split(string(text), "\n")
	var inside []bool
	if template {
		lines, inside = splitTemplate(text)
	}
	var loose []int
	for i, l := range lines {
		switch {
		case strings.TrimSpace(l) == want:
			p.Lines = append(p.Lines, i+1)
		case template && !inside[i]:
			if m := newLinePattern(l); m.actions && m.static >= minStatic && m.matches(want) {
				loose = append(loose, i+1)
			}
		}
	}
	if len(p.Lines) == 0 {
		p.Lines = loose
	}
	if len(p.Lines) > 0 {
		p.Column = sameColumn(lines[p.Lines[0]-1], line, column)
	}
	return p
}

// sameColumn is the column in a template's line of what is at a column of
// the rendered one; that of the first word where the two differ before it.
func sameColumn(template, rendered string, column int) int {
	indent := len(template) - len(strings.TrimLeft(template, " \t"))
	at := column - 1 - (len(rendered) - len(strings.TrimLeft(rendered, " \t")))
	a, b := strings.TrimSpace(template), strings.TrimSpace(rendered)
	if at <= 0 || at >= len(a) || at >= len(b) || a[:at] != b[:at] {
		return indent + 1
	}
	return indent + at + 1
}

func lineOf(text string, number int) string {
	for line := range strings.Lines(text) {
		if number--; number == 0 {
			return strings.TrimRight(line, "\r\n")
		}
	}
	return ""
}

// maxAction bounds how far the end of an action is looked for.
const maxAction = 16 << 10

// splitTemplate gives a template's lines, and for each whether it is inside of
// an action that goes over lines, so that nothing can be told from it.
func splitTemplate(text []byte) ([]string, []bool) {
	lines := strings.Split(string(text), "\n")
	inside := make([]bool, len(lines))
	for p, line := 0, 0; ; {
		i := bytes.Index(text[p:], []byte("{{"))
		if i < 0 {
			return lines, inside
		}
		line += bytes.Count(text[p:p+i], []byte("\n"))
		p += i
		end := bytes.Index(text[p:min(len(text), p+maxAction)], []byte("}}"))
		if end < 0 {
			end = 0
		}
		n := bytes.Count(text[p:p+end], []byte("\n"))
		for k := line; n > 0 && k <= line+n; k++ {
			inside[k] = true
		}
		line += n
		p += end + 2
		if p >= len(text) {
			return lines, inside
		}
	}
}

// linePattern is a line of a template: texts with anything between them.
type linePattern struct {
	texts   []string
	actions bool
	static  int // bytes of text
}

func newLinePattern(line string) linePattern {
	var m linePattern
	rest := strings.TrimSpace(line)
	for {
		before, after, found := strings.Cut(rest, "{{")
		m.texts = append(m.texts, before)
		m.static += len(strings.TrimSpace(before))
		if !found {
			return m
		}
		m.actions = true
		_, rest, _ = strings.Cut(after, "}}")
	}
}

func (m linePattern) matches(line string) bool {
	first, last := m.texts[0], m.texts[len(m.texts)-1]
	if len(m.texts) == 1 {
		return line == first
	}
	// Actions can eat the blanks beside them: {{- x -}}.
	first, last = strings.TrimSpace(first), strings.TrimSpace(last)
	rest, found := strings.CutPrefix(line, first)
	if !found {
		return false
	}
	if rest, found = strings.CutSuffix(rest, last); !found {
		return false
	}
	for _, text := range m.texts[1 : len(m.texts)-1] {
		_, after, found := strings.Cut(rest, strings.TrimSpace(text))
		if !found {
			return false
		}
		rest = after
	}
	return true
}
