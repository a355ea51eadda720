package conformance

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// Pages renders results as documents: conformance.md and a page for each
// scenario, by their paths within docs. Equal results give equal bytes.
func Pages(r *Results) (map[string]string, error) {
	pages := map[string]string{"conformance.md": overview(r)}
	for _, name := range r.Scenarios {
		s, ok := find(name)
		if !ok {
			return nil, fmt.Errorf("results are of a scenario %s that is no more: run it again", name)
		}
		page, err := evidence(r, s)
		if err != nil {
			return nil, err
		}
		pages["conformance/"+name+".md"] = page
	}
	return pages, nil
}

func find(name string) (*Scenario, bool) {
	all := Scenarios()
	i := slices.IndexFunc(all, func(s *Scenario) bool { return s.Name == name })
	if i < 0 {
		return nil, false
	}
	return all[i], true
}

// Not named .md: their links count from docs.
//
//go:embed introduction.markdown
var introduction string

//go:embed joining.markdown
var joining string

const generated = "<!-- Made of lab/conformance/results.json by `make conformance`; changes here are lost. -->\n"

func overview(r *Results) string {
	var text strings.Builder
	text.WriteString(generated)
	text.WriteString(introduction)
	fmt.Fprintf(&text, "\nRun on %s, Kubernetes %s, %d consumers, %d scenarios, %.0f seconds.\n\n",
		r.Began.Format("2006-01-02"), plain(r.Kubernetes), len(r.Consumers), len(r.Scenarios), r.Took)

	text.WriteString("## Consumers\n\n| | consumer | versions | held to | where it says so |\n|---|---|---|---|---|\n")
	for _, c := range r.Consumers {
		fmt.Fprintf(&text, "| `%s` | %s | %s | %s | %s |\n", c.Name, plain(c.Title), plain(strings.Join(c.Versions, ", ")), c.Policy, plain(c.Source))
	}
	text.WriteString("\n## Table\n\n|")
	for _, c := range r.Consumers {
		fmt.Fprintf(&text, " | %s", c.Name)
	}
	text.WriteString(" |\n|---" + strings.Repeat("|---", len(r.Consumers)) + "|\n")
	for _, name := range r.Scenarios {
		s, _ := find(name)
		fmt.Fprintf(&text, "| [%s](conformance/%s.md)", plain(s.Title), name)
		for _, c := range r.Consumers {
			cell, _ := r.Cell(name, c.Name)
			fmt.Fprintf(&text, " | [%s](conformance/%s.md#%s)", mark(cell), name, c.Name)
		}
		text.WriteString(" |\n")
	}
	breaks(&text, r)
	differences(&text, r)
	text.WriteString("\n")
	text.WriteString(joining)
	return text.String()
}

// mark is a cell in short.
func mark(c Cell) string {
	switch c.Verdict {
	case Expected:
		return "ok"
	case KnownDifference:
		return "≈ " + c.Rule
	case Breaks:
		return "✗ " + c.Rule
	case NotApplicable:
		return "–"
	default:
		return "?"
	}
}

// breaks lists what is not as promised, consumer by consumer.
func breaks(text *strings.Builder, r *Results) {
	text.WriteString("\n## What breaks\n\n`slicewright-lab conformance --write-reproductions DIR` writes a script for each cell below, except for those of the control. A script shows the cell in any cluster, and needs `kubectl` alone.\n")
	any := false
	for _, c := range r.Consumers {
		first := true
		for _, name := range r.Scenarios {
			cell, _ := r.Cell(name, c.Name)
			if cell.Verdict != Breaks {
				continue
			}
			if first {
				title := plain(c.Title)
				if c.Control {
					title += ": it has to"
				}
				fmt.Fprintf(text, "\n**%s**\n\n", title)
				first = false
			}
			any = true
			s, _ := find(name)
			o := cell.firstBroken()
			fmt.Fprintf(text, "- [%s](conformance/%s.md#%s), rule %s, step %d: wanted %s, seen %s. In %d of %d plays; %s.\n", plain(s.Title), name, c.Name,
				cell.Rule, cell.Step, o.Want, plain(o.Summary()), cell.Broken, cell.Plays, cell.healing())
		}
	}
	if !any {
		text.WriteString("\nNothing.\n")
	}
}

func (c Cell) firstBroken() Observation {
	for _, o := range c.Observations {
		if !o.OK {
			return o
		}
	}
	return Observation{}
}

func (c Cell) healing() string {
	switch c.RestartHeals {
	case "yes":
		return "a restart heals it"
	case "no":
		return "a restart does not heal it"
	}
	return "a restart was not tried"
}

func differences(text *strings.Builder, r *Results) {
	text.WriteString("\n## Known differences\n\nAs the consumer's authors say or mean it, and not what policy `ready` gives.\n")
	for _, c := range r.Consumers {
		byNote := map[string][]string{}
		var notes []string
		for _, name := range r.Scenarios {
			cell, _ := r.Cell(name, c.Name)
			if cell.Verdict != KnownDifference {
				continue
			}
			note := or(cell.Note, promised(c.Policy))
			if byNote[note] == nil {
				notes = append(notes, note)
			}
			byNote[note] = append(byNote[note], fmt.Sprintf("[%s](conformance/%s.md#%s)", name, name, c.Name))
		}
		for i, note := range notes {
			if i == 0 {
				fmt.Fprintf(text, "\n**%s**\n\n", plain(c.Title))
			}
			fmt.Fprintf(text, "- %s: %s\n", plain(note), strings.Join(byNote[note], ", "))
		}
	}
}

func promised(p Policy) string {
	switch p {
	case PolicyKubeProxy:
		return "it falls back to terminating endpoints that serve (S10) and follows hints (S11)"
	case PolicyPublished:
		return "it has every address that is published"
	case PolicyEndpoints:
		return "it has what the Endpoints object has, and nobody makes one of slices that were written by hand"
	}
	return "as promised"
}

// plain makes text of programs harmless in a document: no control characters,
// no markup, one line.
func plain(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case r == '\n' || r == '\t':
			b.WriteByte(' ')
		case !unicode.IsPrint(r):
			b.WriteRune('�')
		case strings.ContainsRune("\\`*_[]<>|", r):
			b.WriteByte('\\')
			b.WriteRune(r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
