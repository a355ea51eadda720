package web

import (
	"html/template"
	"io"

	"github.com/slicewright/slicewright/app/internal/readiness"
)

var (
	gateLayout  = layout("gate.html")
	reportStyle = template.CSS(asset("base.css", "report.css"))
)

type gateBody struct {
	*readiness.Verdict
	Answer string
	Parts  []gatePart
}

// gatePart are the criteria with one status: those that are in the way first.
type gatePart struct {
	Title   string
	Results []gateResult
}

type gateResult struct {
	*readiness.Result
	// Look is the class of the card and the mark: against, unsure or holds.
	Look string
}

// WriteGate writes a verdict as one self-contained page.
func WriteGate(w io.Writer, verdict *readiness.Verdict) error {
	body := gateBody{Verdict: verdict, Answer: map[readiness.Outcome]string{
		readiness.Ready: "Yes.", readiness.NotReady: "No.", readiness.Undecided: "Not known.",
	}[verdict.Outcome]}
	for _, part := range []struct {
		title, look string
		has         func(*readiness.Result) bool
	}{
		{"Not met", "against", func(r *readiness.Result) bool { return r.Status == readiness.NotMet && !r.Passes() }},
		{"Unknown", "unsure", func(r *readiness.Result) bool { return r.Status == readiness.Unknown && !r.Passes() }},
		{"Waived", "unsure", func(r *readiness.Result) bool { return r.Status != readiness.Met && r.Passes() }},
		{"Met", "holds", func(r *readiness.Result) bool { return r.Status == readiness.Met }},
	} {
		p := gatePart{Title: part.title}
		for i := range verdict.Criteria {
			if r := &verdict.Criteria[i]; part.has(r) {
				p.Results = append(p.Results, gateResult{r, part.look})
			}
		}
		if len(p.Results) > 0 {
			body.Parts = append(body.Parts, p)
		}
	}
	return page{Title: "May the Endpoints controller stop? " + body.Answer, Style: reportStyle, Body: body}.write(w, gateLayout)
}
