package writers

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/slicewright/slicewright/app/internal/find/evidence"
	"github.com/slicewright/slicewright/app/internal/find/objects"
	"github.com/slicewright/slicewright/app/internal/find/rbac"
	"github.com/slicewright/slicewright/app/internal/find/workloads"
)

// controllerName is what the endpoints controller writes into the label
// endpoints.kubernetes.io/managed-by.
const controllerName = "endpoint-controller"

// Find returns a finding for every program that writes Endpoints, for every
// object that a person or a tool has applied, for every leader lock and state
// store, and one each for the endpoints controller and the API server, which are
// expected. grants is the analysis of the same snapshot: who may write.
func Find(s *objects.Snapshot, grants *rbac.Analysis) ([]evidence.Finding, evidence.Coverage) {
	f := newFinder(s, grants)
	endpoints := slices.Clone(s.Endpoints)
	slices.SortStableFunc(endpoints, func(a, b objects.Endpoints) int { return cmp.Compare(a.Ref.String(), b.Ref.String()) })
	for i := range endpoints {
		f.judge(&endpoints[i])
	}
	return f.results(len(endpoints))
}

// finder gathers findings; those of one program become one.
type finder struct {
	grants    *rbac.Analysis
	called    map[string][]*workloads.Workload
	services  map[nameKey]objects.Service
	slices    map[nameKey][]objects.Slice
	labelled  bool // some object carries the controller's label
	order     []*evidence.Finding
	byProgram map[string]*evidence.Finding

	byController, leftovers []objects.Ref
	blind                   int // stored objects without managedFields and label
}

type nameKey struct{ namespace, name string }

func newFinder(s *objects.Snapshot, grants *rbac.Analysis) *finder {
	f := &finder{
		grants: grants, called: byName(grants.Workloads),
		services: make(map[nameKey]objects.Service), slices: make(map[nameKey][]objects.Slice),
		byProgram: make(map[string]*evidence.Finding),
	}
	for _, svc := range s.Services {
		f.services[nameKey{svc.Namespace, svc.Name}] = svc
	}
	for _, slice := range s.Slices {
		key := nameKey{slice.Namespace, slice.Service}
		f.slices[key] = append(f.slices[key], slice)
	}
	for _, e := range s.Endpoints {
		f.labelled = f.labelled || e.ManagedBy == controllerName
	}
	return f
}

// judge says what one object is, by the strongest sign first.
func (f *finder) judge(e *objects.Endpoints) {
	switch {
	case e.Namespace == "default" && e.Name == "kubernetes":
		f.add(&evidence.Finding{
			Subject: evidence.Subject{Application: "kube-apiserver"}, Class: evidence.Expected, Confidence: evidence.Proven,
			Evidence: []evidence.Evidence{objectEvidence(e, "object/api-server", "the API server's own addresses")},
		}, e)
	case e.Leader != "":
		f.lock(e)
	case isPatroni(e):
		f.stateStore(e, patroni)
	case len(e.Managers) > 0:
		f.managed(e)
	case e.ManagedBy == controllerName:
		f.byController = append(f.byController, e.Ref)
	case !e.Live:
		f.unknown(e, "object/manifest", "a manifest of kind Endpoints: whoever applies it publishes it")
	default:
		f.unlabelled(e)
	}
}

// managed judges an object by its managedFields.
func (f *finder) managed(e *objects.Endpoints) {
	controller, addresses, annotations := false, false, false
	var others []objects.Manager
	for _, m := range e.Managers {
		switch {
		case isController(e, m):
			controller = true
			addresses = addresses || m.Subsets
		default:
			addresses = addresses || m.Subsets
			annotations = annotations || m.Annotations
			others = append(others, m)
		}
	}
	for _, m := range others {
		if m.Subsets {
			f.writer(e, m, controller)
		}
	}
	switch service, hasService := f.service(e); {
	case slices.ContainsFunc(others, func(m objects.Manager) bool { return m.Subsets }):
	case controller && (e.ManagedBy == controllerName || hasService && service.Selector):
		f.byController = append(f.byController, e.Ref)
	case controller:
		f.leftovers = append(f.leftovers, e.Ref)
	case !addresses && annotations:
		f.stateStore(e, annotationsOnly)
	default:
		// Nobody wrote addresses, somebody made the object: it is empty for now.
		for _, m := range others {
			f.writer(e, m, false)
		}
	}
}

// isController tells the endpoints controller: by the binary it is usually part
// of, or, where a distribution has built it into another, by who wrote its label.
// A tool that wrote the label has applied a dump.
func isController(e *objects.Endpoints, m objects.Manager) bool {
	return m.Name == "kube-controller-manager" ||
		e.ManagedBy == controllerName && m.ManagedByLabel && !isTool(m.Name)
}

// writer records that managedFields name m.
func (f *finder) writer(e *objects.Endpoints, m objects.Manager, beside bool) {
	what := "the object"
	if m.Subsets {
		what = "the addresses"
	}
	ev := objectEvidence(e, "object/managed-fields", fmt.Sprintf("managedFields: %s (%s) wrote %s", m.Name, m.Operation, what))
	ev.FirstSeen, ev.LastSeen = m.Time, m.Time
	ev.Verb = "update"
	if m.Operation == "Apply" {
		ev.Verb = "patch"
	}
	finding := &evidence.Finding{
		Subject: evidence.Subject{Application: m.Name, UserAgent: m.Name},
		Class:   evidence.Producer, Confidence: evidence.Proven, Verbs: map[string]int{ev.Verb: 1},
		Advice:   "Publish EndpointSlices under a managed-by value of its own, and delete the Endpoints after they are there.",
		Evidence: []evidence.Evidence{ev},
	}
	// One program is one finding, in whatever namespaces; what a tool applies
	// belongs to the user of the tool, and is one finding for each object.
	key := m.Name
	switch {
	case isTool(m.Name):
		key += "\x00" + e.Ref.String()
		finding.Subject.Application = e.Name
		finding.Notes = append(finding.Notes, fmt.Sprintf("Applied with %s: its source is a manifest, or a script.", m.Name))
		finding.Advice = "Convert the manifest with slicewright convert, and apply the slices in its place."
	default:
		f.join(finding, e, m.Name)
		key += "\x00" + finding.Subject.ServiceAccount + "\x00" + finding.Subject.Workload.Name
	}
	if beside {
		finding.Notes = append(finding.Notes, fmt.Sprintf("%s/%s is written by the endpoints controller too: the two overwrite each other.", e.Namespace, e.Name))
	}
	finding.Notes = append(finding.Notes, f.serviceNotes(e)...)
	f.merge(key, finding, e)
}

// unknown records an object that somebody writes whom nothing names.
func (f *finder) unknown(e *objects.Endpoints, detector, excerpt string) {
	f.add(&evidence.Finding{
		Subject: evidence.Subject{Application: e.Name, Owner: e.Labels["app.kubernetes.io/part-of"]},
		Class:   evidence.Producer, Confidence: evidence.Likely,
		Advice:   "Find who writes it; publish EndpointSlices instead (slicewright convert for a manifest).",
		Evidence: []evidence.Evidence{objectEvidence(e, detector, excerpt)},
		Notes:    f.serviceNotes(e),
	}, e)
}

// unlabelled judges a stored object without managedFields and without the
// controller's label. Where its Service has a selector and no object at all has
// the label, the cluster is probably older than v1.33, and it is the
// controller's.
func (f *finder) unlabelled(e *objects.Endpoints) {
	f.blind++
	if service, found := f.service(e); found && service.Selector && !f.labelled {
		return
	}
	f.unknown(e, "object/no-managed-by", "not labelled as the endpoints controller's")
}

func (f *finder) service(e *objects.Endpoints) (objects.Service, bool) {
	service, found := f.services[nameKey{e.Namespace, e.Name}]
	return service, found
}

// add appends a finding of its own.
func (f *finder) add(finding *evidence.Finding, e *objects.Endpoints) {
	finding.Namespaces = []string{e.Namespace}
	f.order = append(f.order, finding)
}

// merge adds to the finding of the same program, or begins it.
func (f *finder) merge(key string, finding *evidence.Finding, e *objects.Endpoints) {
	have := f.byProgram[key]
	if have == nil {
		f.byProgram[key] = finding
		f.add(finding, e)
		return
	}
	have.Evidence = append(have.Evidence, finding.Evidence...)
	for verb, n := range finding.Verbs {
		have.Verbs[verb] += n
	}
	if !slices.Contains(have.Namespaces, e.Namespace) {
		have.Namespaces = append(have.Namespaces, e.Namespace)
	}
	for _, note := range finding.Notes {
		if !slices.Contains(have.Notes, note) {
			have.Notes = append(have.Notes, note)
		}
	}
}

// results ends the search.
func (f *finder) results(read int) ([]evidence.Finding, evidence.Coverage) {
	if n := len(f.byController); n > 0 {
		first := f.byController[0]
		f.order = append(f.order, &evidence.Finding{
			Subject: evidence.Subject{Application: controllerName}, Class: evidence.Expected, Confidence: evidence.Proven,
			Namespaces: []string{"*"},
			Evidence: []evidence.Evidence{{
				Source: evidence.SourceObject, Detector: "object/endpoints-controller", Locator: "Endpoints", Count: n,
				Excerpt: fmt.Sprintf("%d objects are written by the endpoints controller, %s the first", n, first),
			}},
		})
	}
	findings := make([]evidence.Finding, len(f.order))
	for i, finding := range f.order {
		slices.Sort(finding.Namespaces)
		findings[i] = *finding
	}
	return findings, f.coverage(read)
}

func (f *finder) coverage(read int) evidence.Coverage {
	c := evidence.Coverage{Source: evidence.SourceObject, Read: read}
	if f.blind > 0 {
		c.Problem("Endpoints", fmt.Sprintf(
			"%d objects came without managedFields, so that nothing names who wrote them: dump them with kubectl get endpoints -A --show-managed-fields -o yaml", f.blind))
	}
	if n := len(f.leftovers); n > 0 {
		names := make([]string, min(n, 5))
		for i := range names {
			names[i] = f.leftovers[i].Namespace + "/" + f.leftovers[i].Name
		}
		c.Notes = append(c.Notes, fmt.Sprintf(
			"%d Endpoints were written by the controller manager and have no Service with a selector any more (%s): left over, and out of date.",
			n, strings.Join(names, ", ")))
	}
	return c
}

func objectEvidence(e *objects.Endpoints, detector, excerpt string) evidence.Evidence {
	return evidence.Evidence{
		Source: evidence.SourceObject, Detector: detector, Locator: e.Locators.Of(e.Ref), Count: 1,
		Excerpt: fmt.Sprintf("%s: %s", e.Ref, excerpt),
	}
}
