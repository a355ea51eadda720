package readiness

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/slicewright/slicewright/app/internal/output"
	"github.com/slicewright/slicewright/internal/text"
)

// Formats are those that Write knows.
func Formats() []string { return []string{"table", "json", "markdown"} }

// Write writes v in a format. Untrusted names, such as those of consumers and
// users, cannot move a terminal's cursor and cannot make markup.
func (v *Verdict) Write(w io.Writer, format string) error {
	switch format {
	case "json":
		return output.JSON(w, v)
	case "table":
		return v.writeTable(w)
	case "markdown":
		return v.writeMarkdown(w)
	}
	return output.Check(format, Formats())
}

func (v *Verdict) writeTable(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	fmt.Fprintln(w, "CRITERION\tSTATUS\tWHAT")
	for i := range v.Criteria {
		r := &v.Criteria[i]
		fmt.Fprintf(w, "%s\t%s\t%s\n", r.Name, r.Shown(), text.Line(r.Title))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	var page strings.Builder
	for i := range v.Criteria {
		r := &v.Criteria[i]
		fmt.Fprintf(&page, "\n%s: %s\n", r.Name, r.Shown())
		for _, line := range r.Evidence {
			fmt.Fprintf(&page, "  %s\n", text.Line(line))
		}
		for _, line := range r.Settle {
			fmt.Fprintf(&page, "  -> %s\n", text.Line(line))
		}
		if w := r.Waiver; w != nil {
			fmt.Fprintf(&page, "  %s\n", text.Line(w.Sentence()))
		}
	}
	for _, c := range v.Consumers {
		fmt.Fprintf(&page, "\n%s\n", text.Line(c.Consumer))
		for _, r := range c.Rests {
			fmt.Fprintf(&page, "  %s\n", text.Line(r.Sentence()))
		}
	}
	fmt.Fprintf(&page, "\n%s\n", v.Sentence())
	_, err := io.WriteString(out, page.String())
	return err
}

func (v *Verdict) writeMarkdown(out io.Writer) error {
	var page strings.Builder
	fmt.Fprintf(&page, "# May the Endpoints controller stop?\n\n**%s** (%s)\n\n| criterion | status | what |\n|---|---|---|\n", v.Sentence(), stamp(v.At))
	for i := range v.Criteria {
		r := &v.Criteria[i]
		fmt.Fprintf(&page, "| %s | %s | %s |\n", r.Name, r.Shown(), text.Markdown(r.Title))
	}
	for i := range v.Criteria {
		r := &v.Criteria[i]
		fmt.Fprintf(&page, "\n## %s: %s\n\n", r.Name, r.Shown())
		for _, line := range r.Evidence {
			fmt.Fprintf(&page, "- %s\n", text.Markdown(line))
		}
		for _, line := range r.Settle {
			fmt.Fprintf(&page, "- [ ] %s\n", text.Markdown(line))
		}
		if w := r.Waiver; w != nil {
			fmt.Fprintf(&page, "\n%s\n", text.Markdown(w.Sentence()))
		}
	}
	for _, c := range v.Consumers {
		fmt.Fprintf(&page, "\n## %s\n\n", text.Markdown(c.Consumer))
		for _, r := range c.Rests {
			fmt.Fprintf(&page, "- %s\n", text.Markdown(r.Sentence()))
		}
	}
	_, err := io.WriteString(out, page.String())
	return err
}

// Sentence says which file of which day a criterion rests on.
func (r *Rest) Sentence() string {
	if r.File == "" {
		return fmt.Sprintf("%s rests on evidence of %s", r.Criterion, stamp(r.Of))
	}
	return fmt.Sprintf("%s rests on %s of %s", r.Criterion, r.File, stamp(r.Of))
}

// Sentence says the whole in one.
func (v *Verdict) Sentence() string {
	c := v.Count()
	return fmt.Sprintf("%s: %d met, %d not met, %d unknown, %d waived", v.Outcome, c.Met, c.NotMet, c.Unknown, c.Waived)
}

// Counts are how many criteria came to what. What is waived counts there alone.
type Counts struct {
	Met, NotMet, Unknown, Waived int
}

// Count counts the criteria.
func (v *Verdict) Count() Counts {
	var c Counts
	for i := range v.Criteria {
		switch r := &v.Criteria[i]; {
		case r.Status != Met && r.Passes():
			c.Waived++
		case r.Status == Met:
			c.Met++
		case r.Status == NotMet:
			c.NotMet++
		default:
			c.Unknown++
		}
	}
	return c
}

// Shown is the status with what a waiver makes of it, such as "unknown, waived".
func (r *Result) Shown() string {
	switch {
	case r.Status != Met && r.Passes():
		return string(r.Status) + ", waived"
	case r.Waiver != nil:
		return string(r.Status) + ", waiver expired"
	}
	return string(r.Status)
}

// Sentence says who waived it, until when and why.
func (w *AppliedWaiver) Sentence() string {
	if w.Expired {
		return fmt.Sprintf("A waiver by %s expired after %s and does not count: %s", w.By, w.Expires, w.Reason)
	}
	return fmt.Sprintf("Waived by %s until %s: %s", w.By, w.Expires, w.Reason)
}
