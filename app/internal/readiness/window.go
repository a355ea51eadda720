package readiness

import (
	"slices"
	"time"

	"github.com/slicewright/slicewright/app/internal/find/evidence"
)

const giveAudit = "Give the audit log: --audit FILE, of a policy that slicewright find audit-policy check finds to see everything."

// logged reports that there is an audit log with a window.
func logged(a *answer, f *Facts) bool {
	switch {
	case f.Audit == nil:
		a.unsure(giveAudit, "There is no audit log.")
	case f.Audit.Totals.First.IsZero() || f.Audit.Coverage.Read == 0:
		a.unsure(giveAudit, "The audit log has no event.")
	default:
		return true
	}
	return false
}

func auditWindow(a *answer, c *Criterion, f *Facts, now time.Time) {
	if !logged(a, f) {
		return
	}
	t := f.Audit.Totals
	length := t.Last.Sub(t.First)
	a.seen("The audit log covers %s to %s, %s.", stamp(t.First), stamp(t.Last), length.Round(time.Second))
	if length < c.AtLeast.Duration {
		a.unsure("Collect the log for longer.", "That is less than %s.", c.AtLeast.Duration)
	}
	if t.Interruptions > 0 {
		a.unsure("Give the missing files of the log, or collect it again.", "%s in it.", plural(t.Interruptions, "silence"))
	}
	tooOld(a, c, "Its end", t.Last, now, "Collect a log that reaches until now.")
	if p := f.Audit.Coverage.Problems; len(p) > 0 {
		var all []string
		for _, problem := range p {
			all = append(all, problem.Locator+": "+problem.Message)
		}
		a.unsure("Resolve what could not be read.", "Not all of it was read or seen: %s.", some(all))
	}
}

// observed reports that there is a log, and a cluster to hold beside it.
func observed(a *answer, f *Facts, resource string) bool {
	if !logged(a, f) {
		return false
	}
	if f.Cluster == nil {
		a.unsure(giveCluster, "The cluster was not looked at.")
		return false
	}
	if why, unread := f.Cluster.Unread[resource]; unread {
		a.unsure("Permit list on "+resource+".", "%s could not be read: %s.", resource, why)
		return false
	}
	return true
}

func (f *Facts) within(t time.Time) bool {
	return !t.Before(f.Audit.Totals.First) && !t.After(f.Audit.Totals.Last)
}

// windowStartUp: what a program reads only when it starts is in the log only if
// it started meanwhile.
func windowStartUp(a *answer, c *Criterion, f *Facts, _ time.Time) {
	if !searched(a, f) || !observed(a, f, "pods") {
		return
	}
	all := entries(c, f.Registry)
	a.seen("%s looked at.", plural(len(all), "consumer"))
	for _, e := range all {
		started, workloads := false, map[evidence.Workload]bool{}
		for i := range f.Cluster.Pods {
			if p := &f.Cluster.Pods[i]; p.of(e) {
				workloads[p.Workload] = true
				started = started || f.within(p.Started)
			}
		}
		if len(workloads) > 1 {
			// Which of them the consumer is, is not known: a CronJob that never ran
			// must not be taken for the server that shares its ServiceAccount.
			a.unsure("Give each workload a ServiceAccount of its own, or write the workload into the registry.",
				"%s: %d workloads run under %s, and the registry does not say which it is.", e.Key, len(workloads), e.ServiceAccount)
			continue
		}
		if started {
			a.seen("%s started within the log.", e.Key)
			continue
		}
		a.unsure("Restart it, and give a log that covers it.", "%s: no Pod of it is known to have started within the log.", e.Key)
	}
}

// windowLeaderChange: what only a leader reads when it takes over.
func windowLeaderChange(a *answer, _ *Criterion, f *Facts, _ time.Time) {
	if !observed(a, f, "leases") {
		return
	}
	var changed, not []string
	for _, l := range f.Cluster.Leases {
		if f.within(l.Acquired) {
			changed = append(changed, l.Namespace+"/"+l.Name)
		} else {
			not = append(not, l.Namespace+"/"+l.Name)
		}
	}
	if len(f.Cluster.Leases) == 0 {
		a.seen("Not applicable: the list was permitted, and no leader holds a Lease.")
		return
	}
	a.seen("%s looked at.", plural(len(f.Cluster.Leases), "lease"))
	if len(changed) > 0 {
		a.seen("Taken over within the log: %s.", some(changed))
	}
	if len(not) > 0 {
		a.unsure("Let each leader be replaced, such as by deleting its Pod, and give a log that covers it; waive those that have nothing to do with Endpoints.",
			"Not taken over within the log: %s.", some(not))
	}
}

// windowCronJobs: a job that runs once a month is not in the log of a week.
func windowCronJobs(a *answer, _ *Criterion, f *Facts, _ time.Time) {
	if !observed(a, f, "cronjobs.batch") {
		return
	}
	var ran, not, suspended []string
	for _, j := range f.Cluster.CronJobs {
		name := j.Namespace + "/" + j.Name
		switch {
		case f.within(j.LastScheduled):
			ran = append(ran, name)
		case j.Suspended:
			suspended = append(suspended, name)
		default:
			not = append(not, name+" ("+j.Schedule+")")
		}
	}
	if len(f.Cluster.CronJobs) == 0 {
		a.seen("Not applicable: the list was permitted, and there is no CronJob.")
		return
	}
	a.seen("%s looked at.", plural(len(f.Cluster.CronJobs), "CronJob"))
	if len(ran) > 0 {
		a.seen("Ran within the log: %s.", some(ran))
	}
	if len(not) > 0 {
		a.unsure("Run each, with kubectl create job --from=cronjob/NAME, or wait for it, and give a log that covers it.", "Did not run within the log: %s.", some(not))
	}
	if len(suspended) > 0 {
		a.unsure("Run each once, or delete it.", "Suspended, and did not run within the log: %s.", some(suspended))
	}
}

func noUnexpectedIdentity(a *answer, c *Criterion, f *Facts, _ time.Time) {
	if !logged(a, f) {
		return
	}
	var unexpected, refused, expected []string
	for _, finding := range f.Audit.Findings {
		who := finding.Subject.ServiceAccount
		if who == "" {
			who = finding.Subject.User
		}
		used := 0
		for _, n := range finding.Verbs {
			used += n
		}
		switch {
		case finding.Class == evidence.Expected || slices.Contains(c.Expected, who):
			expected = append(expected, who)
		case used == 0 && finding.Refused > 0:
			refused = append(refused, who)
		default:
			unexpected = append(unexpected, who)
		}
	}
	if len(unexpected) > 0 {
		a.against("Find out who each is, and move it; or name it as expected, if it may do without.", "Used Endpoints: %s.", some(sortedOnce(unexpected)))
	}
	if len(refused) > 0 {
		a.against("Find out why it tries: it is refused already, and may not notice.", "Tried to use Endpoints and was refused: %s.", some(sortedOnce(refused)))
	}
	if p := f.Audit.Coverage.Problems; len(p) > 0 {
		a.unsure("Resolve what could not be read.", "Not all of the log was read or seen, so that somebody may be missing: %s: %s.", p[0].Locator, p[0].Message)
	}
	a.seen("In the log from %s to %s, of %d events read.", stamp(f.Audit.Totals.First), stamp(f.Audit.Totals.Last), f.Audit.Coverage.Read)
	if len(expected) > 0 {
		a.seen("As expected, Endpoints were used by %s.", some(sortedOnce(expected)))
	}
}

func sortedOnce(names []string) []string { return slices.Compact(slices.Sorted(slices.Values(names))) }
