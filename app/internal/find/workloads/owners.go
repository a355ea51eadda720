package workloads

import (
	"strings"

	"github.com/slicewright/slicewright/app/internal/find/objects"
)

// owners walks from a Pod up to what a person wrote.
type owners struct {
	workloads map[objects.Ref]*objects.Workload
	pods      map[objects.Ref]*objects.Pod
}

// owner is where a walk ended.
type owner struct {
	ref     objects.Ref
	madeBy  objects.Ref // what made ref, where that is an operator's own object
	guessed bool
}

func newOwners(s *objects.Snapshot) owners {
	o := owners{
		workloads: make(map[objects.Ref]*objects.Workload, len(s.Workloads)),
		pods:      make(map[objects.Ref]*objects.Pod, len(s.Pods)),
	}
	for i := range s.Workloads {
		o.workloads[s.Workloads[i].Ref] = &s.Workloads[i]
	}
	for i := range s.Pods {
		o.pods[s.Pods[i].Ref] = &s.Pods[i]
	}
	return o
}

func (o owners) hasTemplate(ref objects.Ref) bool {
	w := o.workloads[ref]
	return w != nil && w.Template != nil
}

// maxHops is more than any chain of controllers has (CronJob, Job, Pod).
const maxHops = 8

// top walks up from ref. It passes Pods, ReplicaSets, ReplicationControllers and
// Jobs that something made, and stops at the first object of another kind: a
// Deployment stays the workload also where an operator made it, since its image
// and its account are set there.
func (o owners) top(ref objects.Ref) owner {
	out := owner{ref: ref}
	for range maxHops {
		controller, known := o.controller(out.ref)
		if !isHop(out.ref.Kind) {
			out.madeBy = controller
			return out
		}
		if !known {
			// The hop itself was not read. Its name often tells.
			if guess, ok := o.guess(out.ref, ref); ok {
				return owner{ref: guess, guessed: true}
			}
			return out
		}
		if controller == (objects.Ref{}) {
			return out
		}
		out.ref = controller
	}
	return out // the owners form a ring: any of them will do
}

// isHop: usually made by something else, and then not what a person changes.
func isHop(kind string) bool {
	switch kind {
	case "Pod", "ReplicaSet", "ReplicationController", "Job":
		return true
	}
	return false
}

func (o owners) controller(ref objects.Ref) (controller objects.Ref, known bool) {
	if w := o.workloads[ref]; w != nil {
		return w.Controller, true
	}
	if p := o.pods[ref]; p != nil {
		return p.Controller, true
	}
	return objects.Ref{}, false
}

// guess names the owner of a hop that was not read, by the names that the
// controllers give: a Deployment calls its ReplicaSets NAME-HASH and writes the
// hash as a label on their Pods; a CronJob calls its Jobs NAME-MINUTES.
func (o owners) guess(hop, from objects.Ref) (objects.Ref, bool) {
	switch hop.Kind {
	case "ReplicaSet":
		pod := o.pods[from]
		if pod == nil {
			return objects.Ref{}, false
		}
		hash := pod.Spec.Labels["pod-template-hash"]
		if name, found := strings.CutSuffix(hop.Name, "-"+hash); found && hash != "" && name != "" {
			return objects.Ref{Kind: "Deployment", Namespace: hop.Namespace, Name: name}, true
		}
	case "Job":
		i := strings.LastIndexByte(hop.Name, '-')
		if i <= 0 || strings.Trim(hop.Name[i+1:], "0123456789") != "" {
			return objects.Ref{}, false
		}
		// Anybody may end a Job's name in a number, so the CronJob must be there.
		ref := objects.Ref{Kind: "CronJob", Namespace: hop.Namespace, Name: hop.Name[:i]}
		return ref, o.workloads[ref] != nil
	}
	return objects.Ref{}, false
}
