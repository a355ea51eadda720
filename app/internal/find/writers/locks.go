package writers

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/slicewright/slicewright/app/internal/find/evidence"
	"github.com/slicewright/slicewright/app/internal/find/objects"
	"github.com/slicewright/slicewright/internal/text"
)

// record is what client-go's Endpoints lock wrote into its annotation. Later
// versions of client-go have Leases only.
type record struct {
	HolderIdentity string    `json:"holderIdentity"`
	AcquireTime    time.Time `json:"acquireTime"`
	RenewTime      time.Time `json:"renewTime"`
}

// lock records a leader lock. Its holder writes its own name into it, and
// client-go's convention for that is the Pod's name, an underscore and a UUID.
func (f *finder) lock(e *objects.Endpoints) {
	ev := objectEvidence(e, "object/leader-lock", "a leader lock")
	finding := &evidence.Finding{
		Subject: evidence.Subject{Application: e.Name}, Class: evidence.Lock, Confidence: evidence.Likely,
		Verbs:  map[string]int{"update": 1},
		Advice: "Move the leader election to a Lease (coordination.k8s.io); an EndpointSlice is no lock.",
		Notes:  []string{"It cannot simply move: for the time in which replicas of both versions run, two of them may lead."},
	}
	var r record
	if err := json.Unmarshal([]byte(e.Leader), &r); err != nil {
		finding.Notes = append(finding.Notes, "Its record does not parse, so that the holder is not known.")
	} else {
		ev.Excerpt = text.Clip(fmt.Sprintf("%s: held by %q", e.Ref, r.HolderIdentity), 200)
		ev.FirstSeen, ev.LastSeen = instant(r.AcquireTime), instant(r.RenewTime)
		pod, _, _ := strings.Cut(r.HolderIdentity, "_")
		if w := f.grants.Workloads.ByPod(e.Namespace, pod); w != nil {
			take(finding, w)
			finding.Subject.Pod = e.Namespace + "/" + pod
			finding.Confidence = evidence.Proven
		}
	}
	if i := slices.IndexFunc(e.Managers, func(m objects.Manager) bool { return m.Annotations && !isTool(m.Name) }); i >= 0 {
		m := e.Managers[i]
		finding.Confidence = evidence.Proven
		finding.Subject.UserAgent = m.Name
		if finding.Subject.ServiceAccount == "" {
			f.join(finding, e, m.Name)
		}
	}
	if controlPlaneLock(e) {
		finding.Class, finding.Advice = evidence.Expected, ""
		finding.Notes = []string{"Old versions of the control plane locked here and have left it behind."}
	}
	finding.Evidence = []evidence.Evidence{ev}
	f.add(finding, e)
}

func controlPlaneLock(e *objects.Endpoints) bool {
	if e.Namespace != "kube-system" {
		return false
	}
	switch e.Name {
	case "kube-controller-manager", "kube-scheduler", "cloud-controller-manager":
		return true
	}
	return false
}

func instant(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}
