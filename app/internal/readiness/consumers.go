package readiness

import (
	"slices"
	"strings"
	"time"

	"github.com/slicewright/slicewright/app/internal/find/evidence"
	"github.com/slicewright/slicewright/app/internal/find/registry"
)

const (
	giveRegistry = "Give a registry: slicewright find --cluster --audit … --registry registry.yaml, then --registry registry.yaml."
	giveCluster  = "Let the cluster be read: --cluster."
)

// searched reports that there is a registry of a search that read something. An
// empty registry of an empty search says nothing.
func searched(a *answer, f *Facts) bool {
	if f.Registry == nil {
		a.unsure(giveRegistry, "There is no registry.")
		return false
	}
	read := 0
	for _, c := range f.Registry.Coverage {
		read += c.Read
	}
	if read == 0 {
		a.unsure("Search again, where there is something to read.", "The search behind the registry read nothing.")
		return false
	}
	return true
}

// entries are those of a registry that are somebody's to move. What was found at
// a lower confidence than the criterion's is left out; the default is all but
// what rests on a wildcard.
func entries(c *Criterion, r *registry.Registry) []*registry.Entry {
	least := c.Confidence
	if least == "" {
		least = evidence.Possible
	}
	var all []*registry.Entry
	for i := range r.Entries {
		if e := &r.Entries[i]; e.Consumer() && registry.Rank(e.Confidence) <= registry.Rank(least) {
			all = append(all, e)
		}
	}
	return all
}

func called(list []*registry.Entry) string {
	names := make([]string, len(list))
	for i, e := range list {
		names[i] = e.Key
	}
	return some(names)
}

func searchComplete(a *answer, c *Criterion, f *Facts, _ time.Time) {
	if !searched(a, f) {
		return
	}
	for _, source := range c.Sources {
		read, problems := 0, []string(nil)
		for _, cov := range f.Registry.Coverage {
			if cov.Source != source {
				continue
			}
			read += cov.Read
			for _, p := range cov.Problems {
				problems = append(problems, p.Locator+": "+p.Message)
			}
		}
		switch {
		case read == 0:
			a.unsure("Search there too: slicewright find --help says how.", "Nothing of the source %s was read.", source)
		case len(problems) > 0:
			a.unsure("Resolve what could not be read, and search again; or waive it, with the reason why nothing is hidden there.", "Of the source %s not all was read: %s.", source, some(problems))
		default:
			a.seen("The source %s was read: %d without a problem.", source, read)
		}
	}
	var never []string
	for _, source := range evidence.Sources() {
		if !wasRead(f.Registry, source) && !slices.Contains(c.Sources, source) {
			never = append(never, string(source))
		}
	}
	if len(never) > 0 {
		a.seen("Never searched, and not asked for by this criterion: %s.", strings.Join(never, ", "))
	}
}

// wasRead reports whether the search behind a registry read anything of a source.
func wasRead(r *registry.Registry, source evidence.Source) bool {
	return slices.ContainsFunc(r.Coverage, func(c evidence.Coverage) bool { return c.Source == source && c.Read > 0 })
}

// noObstacles is about what is in the way on a cluster and is nobody's code:
// Services that are fed by mirroring, DNS that reads Endpoints.
func noObstacles(a *answer, _ *Criterion, f *Facts, _ time.Time) {
	if !searched(a, f) {
		return
	}
	if !wasRead(f.Registry, evidence.SourceObject) {
		a.unsure("Search the cluster: slicewright find --cluster --registry registry.yaml.", "No objects of a cluster were searched, so that obstacles would not have been seen.")
		return
	}
	for _, o := range f.Registry.Obstacles {
		a.against(o.Advice, "%s: %s", o.Object, o.Message)
	}
	if len(f.Registry.Obstacles) == 0 {
		a.seen("Objects of the cluster were searched, and no obstacle was found.")
	}
}

func consumersOwned(a *answer, c *Criterion, f *Facts, _ time.Time) {
	if !searched(a, f) {
		return
	}
	all := entries(c, f.Registry)
	var orphans []*registry.Entry
	for _, e := range all {
		if e.Owner == "" {
			orphans = append(orphans, e)
		}
	}
	if len(orphans) > 0 {
		a.against("Write the owner of each into the registry.", "%s without an owner: %s.", plural(len(orphans), "consumer"), called(orphans))
	}
	a.seen("%s found, %d with an owner.", plural(len(all), "consumer"), len(all)-len(orphans))
}

// readers are the entries that move by reading another API. Who writes Endpoints
// is for producersMoved.
func readers(c *Criterion, r *registry.Registry) []*registry.Entry {
	return slices.DeleteFunc(entries(c, r), func(e *registry.Entry) bool { return writes(e) })
}

func writes(e *registry.Entry) bool {
	return e.Class == evidence.Producer || e.Class == evidence.Lock || e.Class == evidence.StateStore
}

func moved(e *registry.Entry) bool {
	return e.Status == evidence.Migrated || e.Status == evidence.Verified
}

// contradicted: it is said to have moved, and the last search saw it at it.
func contradicted(e *registry.Entry) bool {
	return moved(e) && e.Confidence == evidence.Proven && !e.Missing
}

func consumersMoved(a *answer, c *Criterion, f *Facts, _ time.Time) {
	if searched(a, f) {
		all := readers(c, f.Registry)
		haveMoved(a, all, "reads Endpoints")
		a.seen("%s of Endpoints found.", plural(len(all), "reader"))
	}
}

func producersMoved(a *answer, c *Criterion, f *Facts, _ time.Time) {
	if !searched(a, f) {
		return
	}
	all := slices.DeleteFunc(entries(c, f.Registry), func(e *registry.Entry) bool { return !writes(e) })
	haveMoved(a, all, "writes Endpoints")
	a.seen("%s of Endpoints found.", plural(len(all), "writer"))
}

func haveMoved(a *answer, all []*registry.Entry, does string) {
	var done, not, said, acknowledged []*registry.Entry
	for _, e := range all {
		switch {
		case contradicted(e):
			said = append(said, e)
		case moved(e):
			done = append(done, e)
		case e.Status == evidence.Acknowledged:
			acknowledged = append(acknowledged, e)
		default:
			not = append(not, e)
		}
	}
	if len(not) > 0 {
		a.against("Move each, and write its status into the registry.", "Not moved, still %s: %s.", does, called(not))
	}
	if len(said) > 0 {
		a.against("Find out what still does it: an old replica, a second path in the code. Then search a later log.", "Said to have moved, and seen all the same: %s.", called(said))
	}
	if len(acknowledged) > 0 {
		a.unsure("Say of each, in a waiver, that it may do without Endpoints.", "Acknowledged, and it %s: %s.", does, called(acknowledged))
	}
	if len(done) > 0 {
		a.seen("Moved: %s.", called(done))
	}
}

// runningVersions holds of a consumer when the digests that run under its
// ServiceAccount are those that the registry's word verified is about.
func runningVersions(a *answer, c *Criterion, f *Facts, _ time.Time) {
	if !searched(a, f) {
		return
	}
	if f.Cluster == nil {
		a.unsure(giveCluster, "What runs was not looked at.")
		return
	}
	if why, unread := f.Cluster.Unread["pods"]; unread {
		a.unsure("Permit list on pods.", "Pods could not be read: %s.", why)
		return
	}
	all := readers(c, f.Registry)
	a.seen("%s looked at.", plural(len(all), "consumer"))
	for _, e := range all {
		runningVersion(a, e, f.Cluster)
	}
}

func runningVersion(a *answer, e *registry.Entry, cluster *Cluster) {
	known := map[string]bool{}
	for _, i := range e.Images {
		if i.Digest != "" {
			known[i.Digest] = true
		}
	}
	running := map[string]bool{}
	for i := range cluster.Pods {
		p := &cluster.Pods[i]
		if !p.of(e) {
			continue
		}
		for _, i := range p.Images {
			running[i.Digest] = true
		}
	}
	const search = "Search again with --cluster, so that the registry has the digests that run, and verify those."
	switch {
	case !moved(e):
		a.against("Move it first.", "%s has not moved.", e.Key)
	case e.ServiceAccount == "":
		a.unsure("Find out under which ServiceAccount it runs, or waive it.", "%s: it is not known what of it runs where.", e.Key)
	case len(running) == 0:
		a.unsure("Verify it while it runs, or take it out of the registry with a note.", "%s: nothing runs under %s.", e.Key, e.ServiceAccount)
	case len(known) == 0 || running[""]:
		a.unsure(search, "%s: not every digest of its images is known.", e.Key)
	case !subset(running, known):
		a.unsure(search, "%s: an image runs that the registry does not know.", e.Key)
	case e.Status != evidence.Verified:
		a.unsure("Verify what runs, and write verified into the registry.", "%s: it is said to have moved, and nobody has verified it.", e.Key)
	default:
		a.seen("%s: what runs was verified.", e.Key)
	}
}

func subset(part, whole map[string]bool) bool {
	for x := range part {
		if !whole[x] {
			return false
		}
	}
	return true
}
