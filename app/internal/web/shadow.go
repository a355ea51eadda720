package web

import (
	"fmt"
	"io"
	"slices"

	"github.com/slicewright/slicewright/app/internal/shadow"
)

var shadowLayout = layout("shadow.html")

type shadowBody struct {
	*shadow.Report
	Answer                    string
	Equal, Different, Unknown int
	Parts                     []shadowPart
	Rows                      []shadowService
}

type shadowPart struct {
	Title    string
	Services []shadowService
}

// shadowService is a Service as the page shows it.
type shadowService struct {
	*shadow.ServiceReport
	// Look is the class of the card and the mark, ID the card's anchor.
	Look, ID string
	// Shown: there is a card.
	Shown bool
	// What is to look at, and what is expected.
	ToLook, Fine   []shadow.DifferenceReport
	ToSee, FineToo []shadow.FindingReport
	Actions        []shadowAction
}

// shadowAction is what to do about a class.
type shadowAction struct {
	Class shadow.Class
	shadow.Explanation
}

// WriteShadow writes a comparison as one self-contained page: a card for each
// Service that has something to say, and a table of all.
func WriteShadow(w io.Writer, report *shadow.Report) error {
	body := shadowBody{Report: report, Answer: map[shadow.Outcome]string{
		shadow.Equal: "agree.", shadow.Different: "differ.", shadow.Unknown: "are not known to agree.",
	}[report.Outcome]}
	different, unknown, equal := shadowPart{Title: "Different"}, shadowPart{Title: "Not judged"}, shadowPart{Title: "Equal, with differences that are expected"}
	for i := range report.Services {
		s := newShadowService(&report.Services[i], i)
		switch s.Outcome {
		case shadow.Different:
			body.Different++
			different.Services = append(different.Services, s)
		case shadow.Equal:
			body.Equal++
			if s.Shown {
				equal.Services = append(equal.Services, s)
			}
		default:
			body.Unknown++
			unknown.Services = append(unknown.Services, s)
		}
		body.Rows = append(body.Rows, s)
	}
	for _, p := range []shadowPart{different, unknown, equal} {
		if len(p.Services) > 0 {
			body.Parts = append(body.Parts, p)
		}
	}
	return page{Title: "Endpoints and EndpointSlices " + body.Answer, Style: reportStyle, Body: body}.write(w, shadowLayout)
}

func newShadowService(r *shadow.ServiceReport, index int) shadowService {
	s := shadowService{ServiceReport: r, ID: fmt.Sprintf("service-%d", index+1), Look: map[shadow.Outcome]string{
		shadow.Different: "against", shadow.Equal: "holds",
	}[r.Outcome]}
	if s.Look == "" {
		s.Look = "unsure"
	}
	var classes []shadow.Class
	note := func(class shadow.Class) {
		if !slices.Contains(classes, class) {
			classes = append(classes, class)
		}
	}
	for _, d := range r.Differences {
		if d.Expected {
			s.Fine = append(s.Fine, d)
		} else {
			s.ToLook = append(s.ToLook, d)
			note(d.Class)
		}
	}
	for _, f := range r.Findings {
		if f.Expected {
			s.FineToo = append(s.FineToo, f)
		} else {
			s.ToSee = append(s.ToSee, f)
			note(f.Class)
		}
	}
	for _, class := range classes {
		s.Actions = append(s.Actions, shadowAction{class, class.Explain()})
	}
	s.Shown = r.Outcome != shadow.Equal || len(r.Differences)+len(r.Findings) > 0
	return s
}

// side says where a backend is.
func side(s shadow.Side) string {
	switch s {
	case shadow.OnlyOld:
		return "only in Endpoints"
	case shadow.OnlySlice:
		return "only in slices"
	case shadow.Both:
		return "in both, with another readiness"
	}
	return plain(s)
}
