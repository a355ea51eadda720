package experiment

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/slicewright/slicewright/app/internal/output"
	"github.com/slicewright/slicewright/internal/text"
)

// Formats are those that Write knows.
func Formats() []string { return []string{"text", "markdown", "json", "report"} }

// Write writes the plan in a format; report is a form for what the experiment
// shows, to be filled in. Untrusted names cannot move a terminal's cursor and
// cannot make markup.
func (p *Plan) Write(w io.Writer, format string) error {
	var text string
	switch format {
	case "json":
		return output.JSON(w, p)
	case "text":
		text = p.render(&textStyle{})
	case "markdown":
		text = p.render(&markdownStyle{})
	case "report":
		text = p.form()
	default:
		return output.Check(format, Formats())
	}
	_, err := io.WriteString(w, text)
	return err
}

// style is how the parts of a plan look.
type style interface {
	title(level int, text string)
	// says is a paragraph; label, where not "", says what it is about.
	says(label, text string)
	item(text string)
	code(text string)
	String() string
}

func (p *Plan) render(s style) string {
	s.title(1, "Stop the Endpoints controller, look, and bring it back")
	s.says("", "A plan: nothing has been changed. Commands in capitals have places to fill in.")
	if p.Kubernetes != "" {
		s.says("Kubernetes", p.Kubernetes+", "+p.Way.Name)
	}
	if p.Off {
		s.says("", "The Endpoints controller does not run here already: there is nothing to stop. The rest of the experiment shows that consumers do without it.")
	}
	for _, o := range p.Obstacles {
		s.says("Not possible", o)
	}
	for _, n := range p.Notes {
		s.item(n)
	}
	for _, e := range p.Edits {
		p.edit(s, e)
	}
	if p.Possible {
		if p.Back != nil {
			p.step(s, p.Back.Title, *p.Back)
		}
		for i, step := range p.Steps {
			p.step(s, fmt.Sprintf("%d. %s", i+1, step.Title), step)
		}
	}
	s.title(2, "Other ways to start the controllers")
	for _, w := range p.Ways[1:] {
		s.item(w.Name + ": " + w.How)
	}
	return s.String()
}

func (p *Plan) edit(s style, e Edit) {
	s.title(2, "The change of "+e.File)
	from := shown(e.From)
	if e.From == "" {
		from = "it has no --controllers"
	}
	switch {
	case !e.Needed():
		s.says("", "None: with "+shown(e.To)+" the Endpoints controller does not run.")
	case e.Line > 0:
		s.says("", fmt.Sprintf("Line %d: %s; it is to be %s", e.Line, from, shown(e.To)))
	default:
		s.says("", from+"; it is to be "+shown(e.To))
	}
	if e.Needed() {
		s.code(e.Diff + e.Fragment)
	}
}

func (p *Plan) step(s style, title string, step Step) {
	s.title(2, title)
	if step.Why != "" {
		s.says("", step.Why)
	}
	if step.On != "" {
		s.says("On", step.On)
	}
	for _, a := range step.Do {
		if a.Text != "" {
			s.says("Do", a.Text)
		}
		if a.Command != "" {
			s.code(a.Command)
		}
		if a.Fragment != "" {
			s.code(a.Fragment)
		}
	}
	if step.Wait != "" {
		s.says("Wait", step.Wait)
	}
	for _, e := range step.Expect {
		if e.Command != "" {
			s.says("Look", "")
			s.code(e.Command)
		}
		s.says("Must say", e.Says)
	}
	if len(step.Checks) > 0 {
		s.says("Decides", strings.Join(step.Checks, ", "))
	}
}

// form is an ExperimentReport without results.
func (p *Plan) form() string {
	var out strings.Builder
	fmt.Fprintf(&out, "# Fill in what is empty. A check that passed needs a sentence of evidence; one that\n# was not reached stays not-run.\napiVersion: %s\nkind: ExperimentReport\n", APIVersion)
	fmt.Fprintf(&out, "name: \"\"\nstarted: \"\" # such as 2026-05-01T10:00:00Z\nfinished: \"\"\nkubernetes: %s\ncontrollers: %s\n", yamlWord(p.Kubernetes), yamlWord(p.Controllers))
	fmt.Fprintf(&out, "consumer: {name: \"\", image: \"\", digest: \"\"}\nchecks:\n")
	for i, s := range p.Steps {
		for _, c := range s.Checks {
			fmt.Fprintf(&out, "- name: %s # step %d\n  result: not-run # or passed, failed\n  evidence: []\n", c, i+1)
		}
	}
	return out.String()
}

// yamlWord is a text in YAML's double quotes: JSON's are the same.
func yamlWord(word string) string {
	quoted, err := json.Marshal(text.Line(word))
	if err != nil {
		return `""` // every text can be written as JSON
	}
	return string(quoted)
}

// textStyle is for a terminal.
type textStyle struct{ strings.Builder }

func (t *textStyle) title(level int, title string) {
	title = text.Line(title)
	line := "-"
	if level == 1 {
		line = "="
	} else {
		t.WriteString("\n")
	}
	fmt.Fprintf(t, "%s\n%s\n", title, strings.Repeat(line, min(len([]rune(title)), width)))
}

func (t *textStyle) says(label, text string) {
	if label != "" {
		text = strings.TrimSpace(label + ": " + text)
	}
	t.WriteString(wrap(text, "", ""))
}

func (t *textStyle) item(text string) { t.WriteString(wrap(text, "- ", "  ")) }

func (t *textStyle) code(code string) {
	for _, line := range text.Code(code) {
		t.WriteString("    " + line + "\n")
	}
}

// width is a line's in text.
const width = 100

// wrap breaks a text into lines between words.
func wrap(paragraph, first, rest string) string {
	var out strings.Builder
	line, length := first, len(first)
	begun := false
	for _, word := range strings.Fields(text.Line(paragraph)) {
		n := len([]rune(word))
		if begun && length+1+n > width {
			out.WriteString(line + "\n")
			line, length, begun = rest, len(rest), false
		}
		if begun {
			line += " "
			length++
		}
		line += word
		length += n
		begun = true
	}
	out.WriteString(line + "\n")
	return out.String()
}

// markdownStyle is for a change request.
type markdownStyle struct{ strings.Builder }

func (m *markdownStyle) title(level int, title string) {
	fmt.Fprintf(m, "%s %s\n\n", strings.Repeat("#", level), text.Markdown(title))
}

func (m *markdownStyle) says(label, sentence string) {
	if label != "" {
		label = "**" + label + ":** "
	}
	m.WriteString(strings.TrimSpace(label+text.Markdown(sentence)) + "\n\n")
}

func (m *markdownStyle) item(item string) { m.WriteString("- " + text.Markdown(item) + "\n\n") }

// code is fenced by more backticks than it has anywhere.
func (m *markdownStyle) code(code string) {
	list := text.Code(code)
	fence := "```"
	for strings.Contains(strings.Join(list, "\n"), fence) {
		fence += "`"
	}
	fmt.Fprintf(m, "%s\n%s\n%s\n\n", fence, strings.Join(list, "\n"), fence)
}
