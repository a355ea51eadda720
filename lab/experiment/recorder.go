package experiment

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/slicewright/slicewright/app/experiment/report"
)

// recorder keeps what came of each check, and tells it as it comes.
type recorder struct {
	out    io.Writer
	skip   []string
	checks []report.Check
	// stopped is the --controllers with which the Endpoints controller was off.
	stopped string
}

// evidence is what a check saw, in sentences. Those of a check that failed are
// told too: what held until it failed.
type evidence struct{ sentences []string }

func (e *evidence) saw(format string, args ...any) {
	e.sentences = append(e.sentences, fmt.Sprintf(format, args...))
}

// A shortfall is something that does not hold of the consumer, or of what the
// experiment shows. Any other error means that the experiment itself could not
// go on.
type shortfall struct{ error }

func short(format string, args ...any) error { return shortfall{fmt.Errorf(format, args...)} }

// check does one check. What it returns ends the experiment; that the check
// failed does not.
func (r *recorder) check(ctx context.Context, name string, do func(context.Context, *evidence) error) error {
	if slices.Contains(r.skip, name) {
		r.add(report.Check{Name: name, Result: report.NotRun, Evidence: []string{"It was to be skipped."}}, 0)
		return nil
	}
	var e evidence
	start := time.Now()
	err := do(ctx, &e)
	c := report.Check{Name: name, Result: report.Passed, Evidence: e.sentences}
	var missing shortfall
	switch {
	case errors.As(err, &missing):
		c.Result = report.Failed
		c.Evidence = append(c.Evidence, sentence(missing.Error()))
		err = nil
	case err != nil:
		// Neither the one nor the other was seen.
		return fmt.Errorf("%s: %w", name, err)
	case len(e.sentences) == 0:
		return fmt.Errorf("%s: it passed without having seen anything", name)
	}
	r.add(c, time.Since(start))
	return err
}

// leaveOut notes of checks that have no result why that is.
func (r *recorder) leaveOut(names []string, why string) {
	for _, name := range names {
		if !slices.ContainsFunc(r.checks, func(c report.Check) bool { return c.Name == name }) {
			r.add(report.Check{Name: name, Result: report.NotRun, Evidence: []string{sentence(why)}}, 0)
		}
	}
}

func (r *recorder) add(c report.Check, took time.Duration) {
	r.checks = append(r.checks, c)
	fmt.Fprintf(r.out, "%-8s %-26s %s\n", c.Result, c.Name, took.Round(100*time.Millisecond))
	for _, s := range c.Evidence {
		fmt.Fprintf(r.out, "         %s\n", s)
	}
}

func (r *recorder) title(format string, args ...any) {
	fmt.Fprintf(r.out, "\n== "+format+"\n", args...)
}

// sentence ends with a full stop and has one line.
func sentence(text string) string {
	text = firstLine(text)
	if text == "" || strings.HasSuffix(text, ".") {
		return text
	}
	return text + "."
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}
