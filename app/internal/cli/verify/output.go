package verify

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/slicewright/slicewright/app/internal/output"
	"github.com/slicewright/slicewright/app/internal/verify"
	"github.com/slicewright/slicewright/app/internal/verify/live"
	"github.com/slicewright/slicewright/app/internal/web"
	"github.com/slicewright/slicewright/internal/text"
)

// formats can be asked for with -o.
var formats = []string{"table", "wide", "json", "yaml", "html"}

// writeVerify writes a report in one of the formats.
func writeVerify(out io.Writer, r *live.Report, format string) error {
	switch format {
	case "json":
		return output.JSON(out, r)
	case "yaml":
		return output.YAML(out, r)
	}
	if format == "html" {
		return web.WriteVerify(out, r)
	}
	v := verifyTable{out: out, wide: format == "wide"}
	v.head(r.Report)
	v.consumers(r.Consumers)
	v.probes(r.Probes)
	for i := range r.Consumers {
		v.consumer(&r.Consumers[i])
	}
	for i := range r.Probes {
		v.probe(&r.Probes[i])
	}
	v.held(r.Held)
	v.published(r.Published)
	return v.err
}

// verifyTable prints for people. After an error it prints no more.
type verifyTable struct {
	out  io.Writer
	wide bool
	err  error
}

func (v *verifyTable) line(format string, args ...any) {
	if v.err == nil {
		_, v.err = fmt.Fprintf(v.out, format+"\n", args...)
	}
}

// table prints rows of cells.
func (v *verifyTable) table(indent string, rows [][]string) {
	if v.err != nil {
		return
	}
	w := tabwriter.NewWriter(v.out, 0, 8, 2, ' ', 0)
	for _, row := range rows {
		for i := range row {
			row[i] = text.Cell(row[i])
		}
		fmt.Fprintln(w, indent+strings.Join(row, "\t"))
	}
	v.err = w.Flush()
}

func (v *verifyTable) head(r *verify.Report) {
	port := ""
	if r.Port != "" {
		port = " port " + r.Port
	}
	v.line("%s: %s", text.Line(r.Service+port), r.Outcome)
	v.line("policy %s, from %s to %s UTC (%s), settle %s", orReady(string(r.Policy)), moment(r.From), moment(r.Until),
		r.Until.Sub(r.From).Round(100*time.Millisecond), seconds(r.SettleSeconds))
	v.line("slices: %d active, %d terminating, %d excluded; %d changes of the active ones", r.Slices.Active, r.Slices.Terminating, r.Slices.Excluded, r.Slices.Changes)
	if c := r.Command; c != nil {
		result := "it ended well"
		if c.Failed() {
			result = "it failed: " + c.Problem
		}
		v.line("during: %s (%s): %s", text.Line(c.Command), c.Ended.Sub(c.Began).Round(100*time.Millisecond), text.Line(result))
	}
	for _, g := range r.Slices.Gaps {
		v.line("slices not read from %s to %s: %s", moment(g.From), moment(g.To), text.Line(g.Why))
	}
	for _, reason := range r.Reasons {
		v.line("! %s", text.Line(reason))
	}
}

func orReady(policy string) string {
	if policy == "" {
		return "ready"
	}
	return policy
}

func (v *verifyTable) consumers(all []verify.ConsumerReport) {
	if len(all) == 0 {
		return
	}
	rows := [][]string{{"CONSUMER", "OUTCOME", "NEW", "DRAINING", "IDLE", "VIEWS", "FAILED", "SLOWEST", "DIFFERENCES"}}
	for i := range all {
		c := &all[i]
		var kinds []string
		for _, kind := range verify.Kinds() {
			if n := c.Kinds[kind]; n.Count > 0 {
				kinds = append(kinds, fmt.Sprintf("%d %s (longest %s)", n.Count, kind, seconds(n.LongestSeconds)))
			}
		}
		slowest := "-"
		if len(c.Convergences) > 0 {
			slowest = seconds(c.SlowestSeconds)
		}
		rows = append(rows, []string{
			c.Consumer, string(c.Outcome), fmt.Sprint(c.New), fmt.Sprint(c.Draining), fmt.Sprint(c.Idle), fmt.Sprint(c.Views), fmt.Sprint(c.Failed),
			slowest, strings.Join(kinds, ", "),
		})
	}
	v.line("")
	v.table("", rows)
}

func (v *verifyTable) probes(all []verify.ProbeReport) {
	if len(all) == 0 {
		return
	}
	rows := [][]string{{"PROBE", "OUTCOME", "REQUESTS", "ANSWERED", "LOST", "EXPECTED TO FAIL", "ANSWERING", "NEVER ANSWERED"}}
	for i := range all {
		p := &all[i]
		rows = append(rows, []string{
			p.Probe, string(p.Outcome), fmt.Sprint(p.Requests), fmt.Sprint(p.Identified), fmt.Sprint(p.LostRequests), fmt.Sprint(p.ExpectedFailures),
			fmt.Sprint(len(p.Answering) + p.AnsweringLeftOut), fmt.Sprint(len(p.Unreached) + p.UnreachedLeftOut),
		})
	}
	v.line("")
	v.table("", rows)
}

// consumer lists what is to look at, and with wide what is not too.
func (v *verifyTable) consumer(c *verify.ConsumerReport) {
	rows := [][]string{{"KIND", "ADDRESS", "FROM", "TO", "LASTED", ""}}
	for i := range c.Differences {
		d := &c.Differences[i]
		if !d.Finding && !d.Undecided && !v.wide {
			continue
		}
		note := ""
		switch {
		case d.Undecided:
			note = "not decided: at most " + seconds(d.Most)
		case !d.Finding:
			note = "in time"
		}
		rows = append(rows, []string{
			string(d.Kind), d.Address, moment(d.From), moment(d.To), seconds(d.Seconds),
			strings.TrimSpace(strings.Join([]string{note, d.Reason, d.Word}, " ")),
		})
	}
	v.part(c.Consumer, rows, c.DifferencesLeftOut)
	v.used(c.Consumer+", by its own count", c.Used, c.UsedLeftOut)
	for _, g := range c.Gaps {
		v.line("not seen from %s to %s: %s", moment(g.From), moment(g.To), text.Line(g.Why))
	}
	if !v.wide || len(c.Convergences) == 0 {
		return
	}
	rows = [][]string{{"CHANGES", "FIRST", "LAST", "FOLLOWED", "TOOK"}}
	for _, x := range c.Convergences {
		rows = append(rows, []string{fmt.Sprint(x.Changes), moment(x.First), moment(x.Last), moment(x.Equal), seconds(x.Seconds)})
	}
	v.part(c.Consumer+" followed", rows, c.ConvergencesLeft)
}

func (v *verifyTable) probe(p *verify.ProbeReport) {
	rows := [][]string{{"FAILURE", "LOST", "EXPECTED", "FIRST", "LAST", "THE LAST SAID"}}
	for _, x := range p.Lost {
		if x.Count > 0 || v.wide {
			rows = append(rows, []string{string(x.Failure), fmt.Sprint(x.Count), fmt.Sprint(x.Expected), moment(x.First), moment(x.Last), x.Detail})
		}
	}
	v.part(p.Probe, rows, 0)
	v.used(p.Probe, p.Used, p.UsedLeftOut)
	if !v.wide {
		return
	}
	rows = [][]string{{"ANSWERING", "REQUESTS", "FIRST", "LAST"}}
	for _, who := range p.Answering {
		rows = append(rows, []string{who.Address, fmt.Sprint(who.Count), moment(who.First), moment(who.Last)})
	}
	for _, address := range p.Unreached {
		rows = append(rows, []string{address, "0", "", ""})
	}
	v.part(p.Probe+" was answered by", rows, p.AnsweringLeftOut+p.UnreachedLeftOut)
}

func (v *verifyTable) used(title string, used []verify.UsedReport, leftOut int) {
	rows := [][]string{{"CONNECTIONS", "ADDRESS", "COUNT", "LAST", "NOT ACTIVE SINCE", "LATE", ""}}
	for i := range used {
		if u := &used[i]; u.Finding || v.wide {
			note := u.Reason
			if u.AfterLeftSeconds > 0 {
				note = seconds(u.AfterLeftSeconds) + " after it left the slices"
			}
			rows = append(rows, []string{string(u.Kind), u.Address, fmt.Sprint(u.Count), moment(u.Last), moment(u.Since), seconds(u.LateSeconds), note})
		}
	}
	v.part(title, rows, leftOut)
}

// part prints a table with a title if it has more than its head.
func (v *verifyTable) part(title string, rows [][]string, leftOut int) {
	if len(rows) == 1 {
		return
	}
	v.line("\n%s", text.Line(title))
	v.table("  ", rows)
	if leftOut > 0 {
		v.line("  and %d more", leftOut)
	}
}

// moment is a time of day; "now" is a moment that has not come yet.
func moment(t time.Time) string {
	if t.IsZero() {
		return "now"
	}
	return t.UTC().Format("15:04:05.000")
}

func seconds(s float64) string {
	return time.Duration(s * float64(time.Second)).Round(time.Millisecond).String()
}
