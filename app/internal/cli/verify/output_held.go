package verify

import (
	"fmt"
	"strings"

	"github.com/slicewright/slicewright/app/internal/verify/live"
	"github.com/slicewright/slicewright/app/internal/verify/publication"
	"github.com/slicewright/slicewright/internal/text"
)

// held lists the connections that were held. With wide those without a problem,
// whose holder stayed, are listed too.
func (v *verifyTable) held(h *live.Held) {
	if h == nil {
		return
	}
	rows := [][]string{{"HELD BY", "TARGET", "ENDED", "MESSAGES", "AFTER THE HOLDER LEFT", ""}}
	quiet := 0
	for i := range h.Connections {
		c := &h.Connections[i]
		if len(c.Problems) == 0 && c.After == nil && !v.wide {
			quiet++
			continue
		}
		messages := ""
		if m := c.Messages; m != nil {
			messages = fmt.Sprintf("%d sent, %d answered", m.Sent, m.Answered)
		}
		after := ""
		if a := c.After; a != nil {
			after = "went on for " + seconds(a.OutlivedSeconds)
			if c.HTTP2 != nil {
				after += fmt.Sprintf("; new streams: %d to it, %d elsewhere, %d failed", a.ToHolder, a.Elsewhere, a.Failed)
			}
		}
		ended := c.End.String()
		if !c.End.At.IsZero() {
			ended += " at " + moment(c.End.At)
		}
		rows = append(rows, []string{c.Holder.String(), c.Target, ended, messages, after, strings.Join(c.Problems, "; ")})
	}
	v.line("\n%d connections held: %s", len(h.Connections), h.Outcome)
	if len(rows) > 1 {
		v.table("  ", rows)
	}
	if quiet > 0 {
		v.line("  and %d without a problem, whose holder stayed", quiet)
	}
}

// published puts the four facts side by side.
func (v *verifyTable) published(t *publication.Table) {
	if t == nil {
		return
	}
	head := []string{"ADDRESS", "TARGET", "HEALTHY", "READY", "SERVING", "TERMINATING"}
	for i := range t.Discovery {
		head = append(head, fmt.Sprintf("IN %d", i+1))
	}
	rows := [][]string{append(head, "REQUESTS", "")}
	for i := range t.Rows {
		r := &t.Rows[i]
		row := []string{r.Address.String(), r.Name, string(r.Health), string(r.Ready), string(r.Serving), string(r.Terminating)}
		for _, fact := range r.Discovered {
			row = append(row, string(fact))
		}
		var notes []string
		for _, n := range r.Notes {
			notes = append(notes, n.Code)
		}
		rows = append(rows, append(row, fmt.Sprint(r.Answered), strings.Join(notes, ", ")))
	}
	v.part("Health, slices, discovery and requests", rows, 0)
	for i, c := range t.Discovery {
		said := c.Name
		if c.Error != "" {
			said += ", which did not say: " + c.Error
		}
		v.line("  IN %d: %s", i+1, text.Line(said))
	}
	if t.Changed {
		v.line("  the slices changed meanwhile: the facts may be of different moments")
	}
}
