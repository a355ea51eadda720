package obstacles

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/slicewright/slicewright/app/internal/find/evidence"
	"github.com/slicewright/slicewright/app/internal/find/objects"
	"github.com/slicewright/slicewright/app/internal/find/rbac"
	"github.com/slicewright/slicewright/app/internal/find/writers"
)

const (
	mirroring = "endpointslicemirroring-controller.k8s.io"
	managed   = "endpointslice-controller.k8s.io"
)

type key struct{ namespace, name string }

// services finds Services with mirrored slices.
func services(s *objects.Snapshot, grants *rbac.Analysis) []evidence.Obstacle {
	// For each Service that has slices, how many there are of whom.
	counts := make(map[key]map[string]int)
	for _, slice := range s.Slices {
		if slice.Service == "" {
			continue // S1: it belongs to no Service
		}
		k := key{slice.Namespace, slice.Service}
		if counts[k] == nil {
			counts[k] = make(map[string]int)
		}
		counts[k][slice.ManagedBy]++
	}
	endpoints := make(map[key]*objects.Endpoints)
	for i := range s.Endpoints {
		endpoints[key{s.Endpoints[i].Namespace, s.Endpoints[i].Name}] = &s.Endpoints[i]
	}
	known := make(map[key]objects.Service)
	for _, svc := range s.Services {
		known[key{svc.Namespace, svc.Name}] = svc
	}
	var who *writers.ByObject
	var out []evidence.Obstacle
	for k, by := range counts {
		if by[mirroring] == 0 {
			continue
		}
		if who == nil {
			who = writers.NewByObject(s, grants)
		}
		svc, found := known[k]
		ref := objects.Ref{Kind: "Service", Namespace: k.namespace, Name: k.name}
		o := evidence.Obstacle{Object: ref.String(), Locator: svc.Locators.Of(ref), Writers: writersOf(who, endpoints[k])}
		if len(by) == 1 {
			fed(&o, k, svc, found, by[mirroring])
		} else {
			beside(&o, k, svc, found, by)
		}
		out = append(out, o)
	}
	return out
}

// fed describes a Service that lives by mirroring alone.
func fed(o *evidence.Obstacle, k key, svc objects.Service, found bool, mirrored int) {
	o.Code = evidence.FedByMirroring
	kind := "without a selector"
	switch {
	case !found:
		kind = "that was not read"
	case svc.Selector:
		// Mirroring takes them away as soon as it sees the selector.
		kind = "that has a selector, so that mirroring should not be at work"
	}
	o.Message = fmt.Sprintf(
		"Service %s/%s, %s, has %s, mirrored from the Endpoints object of its name: its readers of slices depend on that object, and on mirroring.",
		k.namespace, k.name, kind, count(mirrored))
	o.Advice = "Let who writes the Endpoints publish EndpointSlices under a managed-by of its own (package producer; slicewright convert for a manifest), then delete the Endpoints."
}

// beside describes a Service with mirrored slices and others.
func beside(o *evidence.Obstacle, k key, svc objects.Service, found bool, by map[string]int) {
	o.Code = evidence.MirroredBesideOthers
	var others []string
	for _, manager := range slices.Sorted(maps.Keys(by)) {
		if manager != mirroring {
			others = append(others, fmt.Sprintf("%d of %s", by[manager], cmp.Or(manager, "nobody that a label names")))
		}
	}
	o.Message = fmt.Sprintf("Service %s/%s has %s that is mirrored from an Endpoints object, beside %s: the same backend may be there twice, or one that is gone.",
		k.namespace, k.name, count(by[mirroring]), strings.Join(others, ", "))
	if by[mirroring] > 1 {
		o.Message = strings.Replace(o.Message, "that is mirrored", "that are mirrored", 1)
	}
	switch {
	case by[managed] > 0 || found && svc.Selector:
		o.Advice = "The Service had no selector once, and its Endpoints object was somebody's: delete that object, and let nobody write it."
	default:
		o.Advice = "Its slices are published already: label the Endpoints endpointslice.kubernetes.io/skip-mirror=true for as long as somebody reads them, or delete them."
	}
}

func count(n int) string {
	if n == 1 {
		return "one slice"
	}
	return fmt.Sprintf("%d slices", n)
}

// writersOf says who writes the object, nil without an object: it may have been
// deleted a moment ago.
func writersOf(who *writers.ByObject, e *objects.Endpoints) []evidence.ObstacleWriter {
	if e == nil {
		return nil
	}
	var out []evidence.ObstacleWriter
	for _, f := range who.Of(e) {
		w := evidence.ObstacleWriter{Name: f.Subject.Application, Workload: f.Subject.Workload, ServiceAccount: f.Subject.ServiceAccount, By: "nothing names who", LastSeen: lastSeen(f)}
		if f.Confidence == evidence.Proven {
			w.By = "managedFields"
		}
		if f.Subject.UserAgent != "" && w.Workload.Name == "" {
			w.Name = f.Subject.UserAgent // a tool's, where the application is the object's name
		}
		out = append(out, w)
	}
	return out
}

// AddLogged adds to obstacles whom an audit log saw writing Endpoints in their
// namespaces. Findings are those of any source; what is not a log's is passed
// over.
func AddLogged(list []evidence.Obstacle, findings []evidence.Finding) {
	for i := range list {
		o := &list[i]
		parts := strings.Split(o.Object, "/")
		if len(parts) != 3 || parts[0] != "Service" {
			continue
		}
		for _, f := range findings {
			if f.Class == evidence.Expected || !logged(f) || !writes(f) || !slices.Contains(f.Namespaces, parts[1]) {
				continue
			}
			w := evidence.ObstacleWriter{
				Name: cmp.Or(f.Subject.Application, f.Subject.User), Workload: f.Subject.Workload,
				ServiceAccount: f.Subject.ServiceAccount, By: "audit log", LastSeen: lastSeen(f),
			}
			o.Writers = append(o.Writers, w)
		}
	}
}

// lastSeen is the latest time in the finding's evidence, nil without any.
func lastSeen(f evidence.Finding) *time.Time {
	var last *time.Time
	for _, ev := range f.Evidence {
		if ev.LastSeen != nil && (last == nil || ev.LastSeen.After(*last)) {
			last = ev.LastSeen
		}
	}
	return last
}

func logged(f evidence.Finding) bool {
	return slices.ContainsFunc(f.Evidence, func(ev evidence.Evidence) bool { return ev.Source == evidence.SourceAudit })
}

func writes(f evidence.Finding) bool {
	for _, verb := range []string{"create", "update", "patch"} {
		if f.Verbs[verb] > 0 {
			return true
		}
	}
	return false
}
