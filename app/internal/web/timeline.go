package web

import (
	"html/template"
	"io"
	"time"

	"github.com/slicewright/slicewright/app/internal/timeline"
)

var (
	timelineLayout = layout("timeline.html")
	timelineStyle  = template.CSS(asset("base.css", "timeline.css"))
	timelineScript = template.JS(asset("timeline.js"))
)

var functions = template.FuncMap{
	"clock":   func(t time.Time) string { return t.UTC().Format("15:04:05.000") },
	"day":     func(t time.Time) string { return t.UTC().Format("2006-01-02") },
	"rfc":     func(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) },
	"took":    func(a, b time.Time) string { return b.Sub(a).Round(time.Millisecond).String() },
	"second":  func(t time.Time) string { return t.UTC().Format(time.TimeOnly) },
	"plain":   plain,
	"side":    side,
	"look":    verifyLook,
	"lasting": lasting,
	"asked":   asked,
}

// timelineBody is what the page shows without a script too.
type timelineBody struct {
	*timeline.Report
	Name      string
	Addresses int
	Faults    []numbered
	Measured  []numbered
	Lost      int
	// Told is true where moments are the API's own: the recording was imported.
	Told bool
}

// numbered is a finding with its place in the data.
type numbered struct {
	Index int
	timeline.Finding
}

// WriteTimeline writes a report as one self-contained page: a lane for every
// address, with what consumers did above it and what its Pods said below.
func WriteTimeline(w io.Writer, report *timeline.Report) error {
	body := timelineBody{Report: report, Name: "Recording"}
	for i := range report.Services {
		body.Addresses += len(report.Services[i].Lanes)
		for j := range report.Services[i].Lanes {
			body.Told = body.Told || report.Services[i].Lanes[j].Spans[0].FromClock != timeline.Received
		}
	}
	if len(report.Services) == 1 {
		body.Name = report.Services[0].Service
	}
	for _, g := range report.Gaps {
		if g.Lost {
			body.Lost++
		}
	}
	for i, f := range report.Findings {
		if f.Code.Measurement() {
			body.Measured = append(body.Measured, numbered{i, f})
		} else {
			body.Faults = append(body.Faults, numbered{i, f})
		}
	}
	data := *report
	data.Transitions = nil // the lanes say the same
	return page{
		Title: body.Name + " · timeline", Style: timelineStyle, Script: timelineScript, Data: &data, Body: body,
	}.write(w, timelineLayout)
}
