package verify

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Report judges what was seen until a moment. It can be called again when more
// was seen; it changes nothing.
func (l *Log) Report(until time.Time) *Report {
	r := &Report{
		APIVersion: APIVersion, Kind: ReportKind, Service: l.options.Service.String(), Port: l.options.Port, Policy: l.options.Policy,
		Reasons: []string{}, From: l.first, Until: until, SettleSeconds: l.options.Settle.Seconds(), Slices: l.slicesReport(),
		Consumers: []ConsumerReport{}, Probes: []ProbeReport{},
	}
	if l.first.IsZero() {
		r.From = until
	}
	for i, c := range l.consumers {
		r.Consumers = append(r.Consumers, l.consumerReport(l.options.Consumers[i], c, until))
	}
	for i, p := range l.probes {
		r.Probes = append(r.Probes, l.probeReport(l.options.Probes[i], p))
	}
	r.decide(l)
	return r
}

func (l *Log) slicesReport() SlicesReport {
	s := SlicesReport{Changes: len(l.changes), Gaps: gapReports(l.lost)}
	if n := len(l.known); n > 0 {
		s.Known = l.known[n-1].value
	}
	if len(l.changes) > 0 {
		s.Changed = l.changes[len(l.changes)-1]
	}
	for _, standing := range l.latest.Standings {
		switch standing {
		case Active:
			s.Active++
		case Terminating:
			s.Terminating++
		case Excluded:
			s.Excluded++
		}
	}
	return s
}

func (l *Log) consumerReport(name string, c *consumer, until time.Time) ConsumerReport {
	r := ConsumerReport{
		Consumer: name, Views: len(c.looks), Failed: len(c.bad), Problem: c.lastError, AddressesOnly: c.addresses,
		Gaps: gapReports(c.gaps(l.options.Settle, until)), Kinds: map[Kind]KindCount{}, Differences: []DifferenceReport{},
		Convergences: []ConvergenceReport{}, Used: []UsedReport{},
	}
	for _, m := range c.latest.Members {
		switch m.Use {
		case New:
			r.New++
		case Draining:
			r.Draining++
		case Idle:
			r.Idle++
		}
	}
	differences := l.differences(c, until)
	findings, undecided := 0, 0
	for i := range differences {
		d := &differences[i]
		count := r.Kinds[d.Kind]
		count.Count++
		count.LongestSeconds = max(count.LongestSeconds, d.least().Seconds())
		if d.Finding {
			count.Findings++
			findings++
		}
		if d.Undecided {
			undecided++
		}
		r.Kinds[d.Kind] = count
		if i < maxListed {
			r.Differences = append(r.Differences, DifferenceReport{
				d.Kind, addressText(d.Address), d.From, d.To, d.least().Seconds(), d.Most.Seconds(), d.Finding, d.Undecided,
				string(d.Reason), d.Word,
			})
		}
	}
	r.DifferencesLeftOut = max(0, len(differences)-maxListed)
	l.converged(&r, l.convergences(c, differences, until))
	if n := len(c.looks); n > 0 {
		r.looked = c.looks[n-1]
		for agreed := agreements(c.looks, differences); n > 0 && agreed[n-1]; n-- {
			r.agreed = c.looks[n-1:]
		}
	}
	used := l.connections(c)
	r.Used, r.UsedLeftOut = usedReports(used)
	for i := range used {
		if used[i].Finding {
			findings++
		}
	}
	r.Outcome, r.Reason = l.consumerOutcome(&r, findings, undecided)
	return r
}

// converged lists the slowest first: those are what somebody looks for.
func (l *Log) converged(r *ConsumerReport, all []convergence) {
	slices.SortStableFunc(all, func(a, b convergence) int {
		if a.Equal.IsZero() != b.Equal.IsZero() {
			if a.Equal.IsZero() {
				return -1
			}
			return 1
		}
		return cmp.Compare(b.took(), a.took())
	})
	for i := range all {
		c := &all[i]
		r.SlowestSeconds = max(r.SlowestSeconds, c.took().Seconds())
		if i < maxListed {
			r.Convergences = append(r.Convergences, ConvergenceReport{c.Changes, c.First, c.Last, c.Equal, c.took().Seconds()})
		}
	}
	r.ConvergencesLeft = max(0, len(all)-maxListed)
}

func (l *Log) consumerOutcome(r *ConsumerReport, findings, undecided int) (Outcome, string) {
	switch {
	case findings > 0:
		return Different, findingsOf(r)
	case l.first.IsZero():
		return Undetermined, "the slices were not read"
	case r.Views == 0:
		return Undetermined, "it did not say what it has: " + orNothing(r.Problem)
	case len(r.Gaps) > 0:
		return Undetermined, fmt.Sprintf("it did not say what it has for longer than %s, %d times: %s", l.options.Settle, len(r.Gaps), r.Gaps[0].Why)
	case undecided > 0:
		return Undetermined, fmt.Sprintf("%d differences were not seen to end within %s, nor to last longer", undecided, l.options.Settle)
	}
	return l.unlessLost()
}

// unlessLost is equal, unless the slices were away for long.
func (l *Log) unlessLost() (Outcome, string) {
	for _, lost := range l.lost {
		if lost.to.IsZero() || lost.to.Sub(lost.from) > l.options.Settle {
			return Undetermined, "the slices could not be read for a time: " + lost.why
		}
	}
	return Equal, ""
}

func orNothing(problem string) string {
	if problem == "" {
		return "no answer had come by the end"
	}
	return problem
}

func findingsOf(r *ConsumerReport) string {
	var parts []string
	for _, kind := range Kinds() {
		if n := r.Kinds[kind].Findings; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, kind))
		}
	}
	return strings.Join(append(parts, usedFindings(r.Used)...), ", ")
}

// usedFindings counts the findings among uses: "3 connections used-after-left".
func usedFindings(used []UsedReport) []string {
	var parts []string
	for _, kind := range useKinds() {
		var n int64
		for i := range used {
			if used[i].Kind == kind && used[i].Finding {
				n += used[i].Count
			}
		}
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d connections %s", n, kind))
		}
	}
	return parts
}

func (l *Log) probeReport(name string, p *probed) ProbeReport {
	j := l.probing(p)
	r := ProbeReport{
		Probe: name, Requests: j.requests, Identified: j.identified, Unidentified: j.unidentified, Early: j.early, Unjudged: j.unjudged,
		Lost: []LostReport{}, Answering: []AnsweringReport{}, Unreached: []string{}, Used: []UsedReport{}, good: j.good,
	}
	for _, x := range j.lost {
		r.LostRequests += x.Count
		r.ExpectedFailures += x.Expected
		r.Lost = append(r.Lost, LostReport(x))
	}
	for i, who := range j.answering {
		if i == maxAddresses {
			r.AnsweringLeftOut = len(j.answering) - i
			break
		}
		r.Answering = append(r.Answering, AnsweringReport{addressText(who.Address), who.Count, who.First, who.Last})
	}
	for i, key := range l.unreached(&j) {
		if i >= maxAddresses {
			r.UnreachedLeftOut++
			continue
		}
		r.Unreached = append(r.Unreached, addressText(key))
	}
	r.Used, r.UsedLeftOut = usedReports(j.used)
	r.Outcome, r.Reason = l.probeOutcome(&r)
	return r
}

func (l *Log) probeOutcome(r *ProbeReport) (Outcome, string) {
	findings := usedFindings(r.Used)
	if r.LostRequests > 0 {
		findings = append([]string{fmt.Sprintf("%d requests lost (%s)", r.LostRequests, lostKinds(r.Lost))}, findings...)
	}
	switch {
	case r.Identified == 0 && r.LostRequests > 0:
		// A target that never answered says nothing of the consumer: the URL may be
		// wrong.
		return Undetermined, fmt.Sprintf("no request was answered: %s", orNothing(lostDetail(r.Lost)))
	case len(findings) > 0:
		return Different, strings.Join(findings, ", ")
	case l.first.IsZero():
		return Undetermined, "the slices were not read"
	case r.Unidentified > 0:
		return Undetermined, fmt.Sprintf("%d answers do not say who gave them: see --identify", r.Unidentified)
	case r.Requests == 0:
		return Undetermined, "no request was made"
	case r.Unjudged > 0:
		return Undetermined, fmt.Sprintf("%d answers came while the slices could not be read", r.Unjudged)
	}
	return l.unlessLost()
}

func lostKinds(lost []LostReport) string {
	var parts []string
	for _, x := range lost {
		if x.Count > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", x.Failure, x.Count))
		}
	}
	return strings.Join(parts, ", ")
}

func lostDetail(lost []LostReport) string {
	for _, x := range lost {
		if x.Count > 0 {
			return string(x.Failure) + ": " + x.Detail
		}
	}
	return ""
}

// decide puts the parts together.
func (r *Report) decide(l *Log) {
	parts := map[Outcome]int{}
	add := func(name string, o Outcome, reason string) {
		parts[o]++
		if o != Equal {
			r.Reasons = append(r.Reasons, name+": "+reason)
		}
	}
	for i := range r.Consumers {
		add(r.Consumers[i].Consumer, r.Consumers[i].Outcome, r.Consumers[i].Reason)
	}
	for i := range r.Probes {
		add(r.Probes[i].Probe, r.Probes[i].Outcome, r.Probes[i].Reason)
	}
	switch {
	case parts[Different] > 0:
		r.Outcome = Different
	case parts[Undetermined] > 0 || parts[Equal] == 0:
		r.Outcome = Undetermined
	default:
		r.Outcome = Equal
	}
	if l.first.IsZero() && len(r.Reasons) == 0 {
		r.Reasons = append(r.Reasons, "the slices were not read")
	}
}

func gapReports(spans []span) []GapReport {
	gaps := []GapReport{}
	for _, s := range spans {
		if len(gaps) == maxListed {
			break
		}
		gaps = append(gaps, GapReport{s.from, s.to, s.why})
	}
	return gaps
}

func usedReports(used []usedAddress) (list []UsedReport, leftOut int) {
	list = []UsedReport{}
	for i := range used {
		if i == maxListed {
			return list, len(used) - i
		}
		u := &used[i]
		list = append(list, UsedReport{
			u.Kind, addressText(u.Address), u.Count, u.First, u.Last, u.Since, u.Late.Seconds(), u.AfterLeft.Seconds(), u.Finding, string(u.Reason),
		})
	}
	return list, 0
}
