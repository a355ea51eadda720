package audit

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/slicewright/slicewright/app/internal/find/evidence"
)

// cover writes what the ledger knows about its own blind spots.
func (l *Ledger) cover(c *evidence.Coverage) {
	p := &l.problems
	if n := len(l.own); n > 0 {
		total := 0
		for _, count := range l.own {
			total += count
		}
		c.Notes = append(c.Notes, fmt.Sprintf("Left out by their user agent: %d requests of %s.",
			total, strings.Join(slices.Sorted(maps.Keys(l.own)), ", ")))
	}
	if p.Duplicates > 0 {
		c.Notes = append(c.Notes, fmt.Sprintf("%d events were in the log more than once and count once.", p.Duplicates))
	}
	if p.Headless > 0 {
		c.Notes = append(c.Notes, fmt.Sprintf("%d watches ended whose beginning is not in the log.", p.Headless))
	}
	if n := l.slicesOnly(); n > 0 {
		c.Notes = append(c.Notes, fmt.Sprintf("%d identities use EndpointSlices and not Endpoints.", n))
	}
	if p.Impersonating > 0 {
		c.Notes = append(c.Notes, fmt.Sprintf("%d requests were made in another user's name; they count for who made them.", p.Impersonating))
	}
	if p.Ended > 1 && p.Started == 0 {
		c.Problem("stage ResponseStarted", "no watch has this stage: the audit policy omits it, and watches that are still open cannot be seen")
	}
	if p.ReceivedOnly > 0 && p.Completed == 0 {
		c.Problem("stage ResponseComplete", "only RequestReceived is in the log: the audit policy omits the stage that says what came of a request")
	}
	if p.NoCode > 0 {
		c.Problem("responseStatus", fmt.Sprintf("%d requests have no status: what came of them is unknown", p.NoCode))
	}
	if p.Overflow > 0 {
		c.Problem("users and user agents", fmt.Sprintf("%d requests came from more users or user agents than are told apart; they are under (many)", p.Overflow))
	}
	if p.OpenOverflow > 0 {
		c.Problem("open watches", fmt.Sprintf("%d watches were not followed to their end and may count twice", p.OpenOverflow))
	}
}

// coverSightings writes what the kind of log cannot show.
func coverSightings(c *evidence.Coverage, s sightings) {
	if s.AzureAdmin > 0 {
		c.Problem("kube-audit-admin", "this Azure category has no get and no list: use kube-audit to see readers")
	}
	if s.GoogleWrites > 0 && s.GoogleReads == 0 {
		c.Problem("cloudaudit.googleapis.com/activity", "this log has no reads: enable Data Access audit logs for the Kubernetes Engine API and export data_access")
	}
}

// coverSilence says when a log cannot be trusted to show Endpoints at all. The
// control plane uses one of the two resources in every cluster, so a log
// without it does not record them.
func (l *Ledger) coverSilence(c *evidence.Coverage) {
	if c.Read > 0 && l.problems.ControlPlane == 0 {
		c.Problem("audit policy", "no request of the control plane itself for endpoints or endpointslices is in the log: "+
			"the audit policy hides them, or the log is too short; see find audit-policy check")
	}
}

func (l *Ledger) slicesOnly() int {
	n := 0
	for _, id := range l.identities {
		if id.EndpointsSeen == 0 && !id.controlPlane() {
			n++
		}
	}
	return n
}
