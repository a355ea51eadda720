package audit

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// window collects the times of which a log speaks, as spans with no silence of
// more than gap in them.
type window struct {
	gap   time.Duration
	spans []span // sorted, disjoint
}

type span struct{ from, to time.Time }

// maxSpans bounds the list. A log with more interruptions than this is shown
// with the smallest of them closed.
const maxSpans = 256

// add enters the span of one chunk of a log.
func (w *window) add(from, to time.Time) {
	if from.IsZero() || to.IsZero() {
		return
	}
	if to.Before(from) {
		from, to = to, from
	}
	// Logs are read in order: nearly always the last span grows.
	if n := len(w.spans); n > 0 {
		last := &w.spans[n-1]
		if !from.Before(last.from) && !from.After(last.to.Add(w.gap)) {
			if to.After(last.to) {
				last.to = to
			}
			return
		}
	}
	w.spans = append(w.spans, span{from, to})
	slices.SortFunc(w.spans, func(a, b span) int { return a.from.Compare(b.from) })
	merged := w.spans[:1]
	for _, s := range w.spans[1:] {
		last := &merged[len(merged)-1]
		if s.from.After(last.to.Add(w.gap)) {
			merged = append(merged, s)
		} else if s.to.After(last.to) {
			last.to = s.to
		}
	}
	w.spans = merged
	if len(w.spans) > maxSpans {
		w.closeSmallest()
	}
}

func (w *window) closeSmallest() {
	least, at := time.Duration(1<<63-1), 0
	for i := range w.spans[1:] {
		if d := w.spans[i+1].from.Sub(w.spans[i].to); d < least {
			least, at = d, i
		}
	}
	w.spans[at].to = w.spans[at+1].to
	w.spans = slices.Delete(w.spans, at+1, at+2)
}

func (w *window) bounds() (first, last time.Time) {
	if len(w.spans) == 0 {
		return
	}
	return w.spans[0].from, w.spans[len(w.spans)-1].to
}

// notes describe the window and its longest gaps.
func (w *window) notes() []string {
	if len(w.spans) == 0 {
		return nil
	}
	first, last := w.bounds()
	out := []string{fmt.Sprintf("The log covers %s to %s (%s).", stamp(first), stamp(last), last.Sub(first).Round(time.Second))}
	var gaps []span
	for i := range w.spans[1:] {
		gaps = append(gaps, span{w.spans[i].to, w.spans[i+1].from})
	}
	slices.SortFunc(gaps, func(a, b span) int { return cmp.Compare(b.to.Sub(b.from), a.to.Sub(a.from)) })
	for i, g := range gaps {
		if i == 5 {
			out = append(out, fmt.Sprintf("There are %d more gaps.", len(gaps)-i))
			break
		}
		out = append(out, fmt.Sprintf("No event between %s and %s (%s).", stamp(g.from), stamp(g.to), g.to.Sub(g.from).Round(time.Second)))
	}
	return out
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }
