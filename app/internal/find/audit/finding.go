package audit

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/slicewright/slicewright/app/internal/find/evidence"
)

// Findings returns one finding for each identity that asked for Endpoints, in
// order of user and product.
func (l *Ledger) Findings() []evidence.Finding {
	open := make(map[*identity][]openWatch)
	for _, w := range l.open {
		if w.Identity != nil && w.Resource == Endpoints {
			open[w.Identity] = append(open[w.Identity], w)
		}
	}
	var out []evidence.Finding
	for _, id := range l.sorted() {
		if id.EndpointsSeen == 0 {
			continue
		}
		watches := open[id]
		slices.SortFunc(watches, func(a, b openWatch) int {
			return cmp.Or(a.Since.Compare(b.Since), cmp.Compare(a.ID, b.ID))
		})
		out = append(out, id.finding(watches))
	}
	return out
}

func (l *Ledger) sorted() []*identity {
	ids := slices.Collect(maps.Values(l.identities))
	slices.SortFunc(ids, func(a, b *identity) int {
		lock := func(k identityKey) int {
			if k.Lock {
				return 1
			}
			return 0
		}
		return cmp.Or(cmp.Compare(a.Key.User, b.Key.User), cmp.Compare(a.Key.Product, b.Key.Product),
			cmp.Compare(lock(a.Key), lock(b.Key)))
	})
	return ids
}

func (id *identity) finding(open []openWatch) evidence.Finding {
	f := evidence.Finding{
		Subject: evidence.Subject{
			Application:    id.application(),
			ServiceAccount: serviceAccount(id.Key.User),
			User:           id.Key.User,
		},
		Class:      id.class(),
		Confidence: evidence.Likely,
		Verbs:      make(map[string]int),
		Namespaces: slices.Sorted(maps.Keys(id.Namespaces)),
	}
	f.Subject.UserAgent = strings.Join(slices.Sorted(maps.Keys(id.Agents.Set)), " ")
	slicesAllowed := 0
	for _, key := range id.statKeys() {
		s := id.Stats[key]
		switch {
		case key.Resource == EndpointSlices && key.Outcome == Allowed:
			slicesAllowed += s.Count
			continue
		case key.Resource == EndpointSlices:
			continue
		case key.Outcome == Allowed:
			f.Verbs[key.Verb] += s.Count
			f.Confidence = evidence.Proven
		case key.Outcome == Refused:
			f.Refused += s.Count
		}
		f.Evidence = append(f.Evidence, key.evidence(s))
	}
	f.Access = id.access()
	id.openWatches(&f, open)
	id.grants(&f)
	id.slices(&f, slicesAllowed)
	id.pod(&f)
	id.notes(&f)
	f.Advice = advice(f.Class)
	return f
}

func (id *identity) statKeys() []statKey {
	keys := slices.Collect(maps.Keys(id.Stats))
	slices.SortFunc(keys, func(a, b statKey) int {
		return cmp.Or(cmp.Compare(a.Resource, b.Resource), cmp.Compare(a.Outcome, b.Outcome),
			cmp.Compare(a.Verb, b.Verb), cmp.Compare(a.Shape, b.Shape))
	})
	return keys
}

func (k statKey) evidence(s *stat) evidence.Evidence {
	e := s.evidence("audit/request", k.Verb)
	switch k.Outcome {
	case Refused:
		e.Detector = "audit/refused"
	case unsuccessful:
		e.Detector = "audit/unsuccessful"
	}
	if k.Resource == EndpointSlices {
		e.Detector = "audit/slices-refused"
	}
	e.Excerpt = fmt.Sprintf("%s %s -> %s", k.Verb, k.Shape.path(k.Resource), code(s.Code))
	return e
}

func code(n int) string {
	if n == 0 {
		return "no status"
	}
	return strconv.Itoa(n)
}

func (s *stat) evidence(detector, verb string) evidence.Evidence {
	return evidence.Evidence{
		Source: evidence.SourceAudit, Detector: detector, Locator: s.ID, Verb: verb, Count: s.Count,
		FirstSeen: timeOrNil(s.First), LastSeen: timeOrNil(s.Last),
	}
}

func timeOrNil(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// access names how the identity reads. client-go's reflector is the one that
// asks for bookmarks, so a watch with them is an informer's.
func (id *identity) access() []string {
	set := make(map[string]bool)
	for key := range id.Stats {
		if key.Resource != Endpoints {
			continue
		}
		switch {
		case key.Verb == "watch" && key.Shape&(shapeBookmarks|shapeInitialEvents) != 0:
			set["informer"] = true
		case key.Verb == "get" || key.Verb == "list" || key.Verb == "watch":
			set[key.Verb] = true
		}
	}
	if set["informer"] {
		delete(set, "list") // the reflector's own
	}
	return slices.Sorted(maps.Keys(set))
}

func (id *identity) openWatches(f *evidence.Finding, open []openWatch) {
	if len(open) == 0 {
		return
	}
	first, last := open[0].Since, open[len(open)-1].Since
	f.Evidence = append(f.Evidence, evidence.Evidence{
		Source: evidence.SourceAudit, Detector: "audit/open-watch", Locator: open[0].ID, Verb: "watch",
		Count: len(open), FirstSeen: timeOrNil(first), LastSeen: timeOrNil(last),
		Excerpt: fmt.Sprintf("%d of its watches had not ended where the log ends", len(open)),
	})
}

// binding is how the RBAC authorizer words a reason:
//
//	RBAC: allowed by RoleBinding "NAME/NAMESPACE" of Role "NAME" to …
var binding = regexp.MustCompile(`^RBAC: allowed by (RoleBinding|ClusterRoleBinding) "([^"/]+)(?:/([^"]+))?"`)

func (id *identity) grants(f *evidence.Finding) {
	for _, reason := range slices.Sorted(maps.Keys(id.Reasons)) {
		e := id.Reasons[reason].evidence("audit/authorization", "")
		e.Excerpt = reason
		if m := binding.FindStringSubmatch(reason); m != nil {
			e.Locator = m[1] + "/" + m[2]
			if m[3] != "" {
				e.Locator = m[1] + "/" + m[3] + "/" + m[2]
			}
		}
		f.Evidence = append(f.Evidence, e)
	}
}

// slices says what the identity did with EndpointSlices: it may read both
// already, it may not be allowed to, and it may fall back without saying so.
func (id *identity) slices(f *evidence.Finding, allowed int) {
	for _, key := range id.statKeys() {
		if key.Resource == EndpointSlices && key.Outcome == Refused {
			f.Evidence = append(f.Evidence, key.evidence(id.Stats[key]))
		}
	}
	if allowed > 0 && f.Class != evidence.Expected && f.Class != evidence.Tooling {
		f.Status = evidence.Dual
		f.Notes = append(f.Notes, fmt.Sprintf("It reads or writes EndpointSlices too (%d requests).", allowed))
	}
	refused, then := id.SlicesRefused, id.EndpointsAllowed
	switch {
	case refused.ID == "":
	case then.ID != "" && then.At.After(refused.At):
		f.Evidence = append(f.Evidence, evidence.Evidence{
			Source: evidence.SourceAudit, Detector: "audit/silent-fallback", Locator: then.ID, Count: 1,
			FirstSeen: timeOrNil(refused.At), LastSeen: timeOrNil(then.At),
			Excerpt: "endpointslices -> 403 (" + refused.ID + "), later endpoints -> 2xx",
		})
		f.Notes = append(f.Notes, "Refused on EndpointSlices, it went on with Endpoints: grant it endpointslices, and it may need no other change.")
	default:
		f.Notes = append(f.Notes, "It was refused on EndpointSlices: grant it get, list and watch on endpointslices before it moves.")
	}
}

// pod fills in the Pod if there was only one; several are the workload's.
func (id *identity) pod(f *evidence.Finding) {
	ns, _, ok := strings.Cut(f.Subject.ServiceAccount, "/")
	if !ok {
		return
	}
	pods := slices.Sorted(maps.Keys(id.Pods.Set))
	if len(pods) > 0 {
		f.Subject.Pod = ns + "/" + pods[0]
	}
	if len(pods) > 1 {
		more := ""
		if id.Pods.More {
			more = " and more"
		}
		f.Notes = append(f.Notes, "Seen from the Pods "+strings.Join(pods, ", ")+more+".")
	}
}

func (id *identity) notes(f *evidence.Finding) {
	if ips := slices.Sorted(maps.Keys(id.SourceIPs.Set)); len(ips) > 0 {
		more := ""
		if id.SourceIPs.More {
			more = " and more"
		}
		f.Notes = append(f.Notes, "Source addresses: "+strings.Join(ips, ", ")+more+".")
	}
	if f.Confidence != evidence.Proven && f.Refused > 0 {
		f.Notes = append(f.Notes, "Every request for Endpoints was refused or failed: it wants to read them and cannot.")
	}
	if id.byAgentAlone() {
		f.Notes = append(f.Notes, "Taken for the control plane by its user agent alone: it uses an administrator's credentials.")
	}
	if tools[id.Key.Product] && f.Subject.ServiceAccount != "" {
		f.Notes = append(f.Notes, "A tool under a ServiceAccount: a script that reads Endpoints.")
	}
	if users := slices.Sorted(maps.Keys(id.Impersonated.Set)); len(users) > 0 {
		f.Notes = append(f.Notes, "Acted in the name of "+strings.Join(users, ", ")+".")
	}
	if id.ManyNames {
		f.Notes = append(f.Notes, fmt.Sprintf("More than %d namespaces; the others are not listed.", maxNamespaces))
	}
}

func advice(c evidence.Class) string {
	switch c {
	case evidence.Reader, evidence.Walker:
		return "List and watch discovery.k8s.io/v1 EndpointSlices by the label kubernetes.io/service-name, and join all slices of a Service."
	case evidence.Producer:
		return "Write EndpointSlices with an own endpointslice.kubernetes.io/managed-by label; its readers must read slices before it stops writing Endpoints."
	case evidence.Lock:
		return "Use a coordination.k8s.io Lease as the lock; an EndpointSlice is no replacement."
	case evidence.APIServerDiscovery:
		return "Read the EndpointSlices of default/kubernetes, or the kubernetes Service."
	case evidence.Tooling:
		return "Use kubectl get endpointslices -l kubernetes.io/service-name=NAME."
	}
	return ""
}
