package web

import (
	"fmt"
	"html/template"
	"io"
	"time"

	"github.com/slicewright/slicewright/app/internal/verify"
	"github.com/slicewright/slicewright/app/internal/verify/live"
)

var (
	verifyLayout = layout("verify.html")
	verifyStyle  = template.CSS(asset("base.css", "report.css", "verify.css"))
)

// lasting is a time in seconds as people read it.
func lasting(seconds float64) string {
	return time.Duration(seconds * float64(time.Second)).Round(time.Millisecond).String()
}

// asked is how often a consumer was asked.
func asked(c verify.ConsumerReport) int { return c.Views + c.Failed }

// verifyLook is the class of a card and its mark.
func verifyLook(o verify.Outcome) string {
	switch o {
	case verify.Different:
		return "against"
	case verify.Equal:
		return "holds"
	}
	return "unsure"
}

type verifyBody struct {
	*live.Report
	Answer string
	Lost   int64
	Middle time.Time
	Groups []verifyGroup
}

// verifyGroup is the lanes of the command, of a consumer or of a probe.
type verifyGroup struct {
	Title string
	Lanes []verifyLane
}

type verifyLane struct {
	What, Address string
	Finding       bool
	Bars          []verifyBar
}

// verifyBar is a time in a lane, in thousandths of the whole.
type verifyBar struct {
	Look                string
	X, Y, Width, Height int
}

// maxVerifyLanes bounds the lanes of one consumer or probe: the first ones are
// those to look at, and the tables have more.
const maxVerifyLanes = 40

// WriteVerify writes a verification as one self-contained page.
func WriteVerify(w io.Writer, report *live.Report) error {
	body := verifyBody{Report: report, Middle: report.From.Add(report.Until.Sub(report.From) / 2), Answer: map[verify.Outcome]string{
		verify.Equal: "is used as its slices say.", verify.Different: "is not used as its slices say.", verify.Undetermined: "was not seen well enough to say.",
	}[report.Outcome]}
	for i := range report.Probes {
		body.Lost += report.Probes[i].LostRequests
	}
	s := verifyScale{report.From, report.Until}
	body.add("During", s.command(report.Command))
	body.add("Slices", s.gaps(report.Slices.Gaps))
	for i := range report.Consumers {
		body.add(report.Consumers[i].Consumer, s.consumer(&report.Consumers[i]))
	}
	for i := range report.Probes {
		body.add(report.Probes[i].Probe, s.probe(&report.Probes[i]))
	}
	return page{Title: report.Service + " " + body.Answer, Style: verifyStyle, Body: body}.write(w, verifyLayout)
}

func (b *verifyBody) add(title string, lanes []verifyLane) {
	if len(lanes) > 0 {
		b.Groups = append(b.Groups, verifyGroup{title, lanes[:min(len(lanes), maxVerifyLanes)]})
	}
}

// verifyScale is the time that the lanes show.
type verifyScale struct{ from, until time.Time }

// bar is a time; a zero to is the end. The shortest is wide enough to be seen. A
// finding is higher than the rest.
func (s verifyScale) bar(look string, from, to time.Time) verifyBar {
	whole := max(s.until.Sub(s.from), time.Millisecond)
	if to.IsZero() || to.After(s.until) {
		to = s.until
	}
	at := func(t time.Time) int { return min(max(int(1000*t.Sub(s.from)/whole), 0), 1000) }
	b := verifyBar{Look: look, X: at(from), Y: 4, Height: 8}
	if look == "finding" {
		b.Y, b.Height = 0, 16
	}
	b.Width = max(at(to)-b.X, 4)
	b.X = min(b.X, 1000-b.Width)
	return b
}

func (s verifyScale) command(c *verify.CommandReport) []verifyLane {
	if c == nil {
		return nil
	}
	return []verifyLane{{What: "the command", Bars: []verifyBar{s.bar("", c.Began, c.Ended)}}}
}

func (s verifyScale) gaps(gaps []verify.GapReport) []verifyLane {
	if len(gaps) == 0 {
		return nil
	}
	lane := verifyLane{What: "not seen"}
	for _, g := range gaps {
		lane.Bars = append(lane.Bars, s.bar("", g.From, g.To))
	}
	return []verifyLane{lane}
}

func (s verifyScale) consumer(c *verify.ConsumerReport) []verifyLane {
	lanes := s.gaps(c.Gaps)
	if len(c.Convergences) > 0 {
		followed := verifyLane{What: "followed a change, from it to when all agreed"}
		not := verifyLane{What: "did not follow a change"}
		for _, x := range c.Convergences {
			if x.Equal.IsZero() {
				not.Bars = append(not.Bars, s.bar("", x.First, x.Equal))
				continue
			}
			followed.Bars = append(followed.Bars, s.bar("followed", x.First, x.Equal))
		}
		for _, lane := range []verifyLane{not, followed} {
			if len(lane.Bars) > 0 {
				lanes = append(lanes, lane)
			}
		}
	}
	for i := range c.Differences {
		d := &c.Differences[i]
		to := d.To
		if to.IsZero() { // to the last look that shows it: more was not seen
			to = d.From.Add(time.Duration(d.Seconds * float64(time.Second)))
		}
		lanes = append(lanes, verifyLane{
			What: string(d.Kind), Address: d.Address, Finding: d.Finding, Bars: []verifyBar{s.bar(findingLook(d.Finding), d.From, to)},
		})
	}
	return append(lanes, s.used(c.Used)...)
}

func (s verifyScale) probe(p *verify.ProbeReport) []verifyLane {
	var lanes []verifyLane
	for _, x := range p.Lost {
		what := fmt.Sprintf("%d lost: %s", x.Count, x.Failure)
		if x.Count == 0 {
			what = fmt.Sprintf("%d failed while nobody was there: %s", x.Expected, x.Failure)
		}
		lanes = append(lanes, verifyLane{What: what, Finding: x.Count > 0, Bars: []verifyBar{s.bar(findingLook(x.Count > 0), x.First, x.Last)}})
	}
	return append(lanes, s.used(p.Used)...)
}

func (s verifyScale) used(used []verify.UsedReport) []verifyLane {
	var lanes []verifyLane
	for i := range used {
		u := &used[i]
		lanes = append(lanes, verifyLane{
			What: string(u.Kind), Address: u.Address, Finding: u.Finding, Bars: []verifyBar{s.bar(findingLook(u.Finding), u.First, u.Last)},
		})
	}
	return lanes
}

func findingLook(finding bool) string {
	if finding {
		return "finding"
	}
	return ""
}
