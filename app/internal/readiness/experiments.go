package readiness

import (
	"slices"
	"strings"
	"time"

	"github.com/slicewright/slicewright/app/internal/find/registry"
)

// about says whether a report is about a consumer of the registry.
type about uint8

const (
	// another consumer, or another Kubernetes: the report counts for nothing.
	another about = iota
	// unclear: a pass counts for nothing, a failure counts.
	unclear
	same
)

// experimentChecks asks of each reader in the registry whether each check passed
// in a report that is about it, and failed in none. A report is about a consumer if
// it names the digest of the image that runs, and about this cluster if its minor
// version of Kubernetes is the cluster's.
func experimentChecks(a *answer, c *Criterion, f *Facts, now time.Time) {
	const run = "Do the experiment: slicewright-lab, or slicewright experiment plan for a cluster of your own; then --experiment FILE."
	if len(f.Experiments) == 0 {
		a.unsure(run, "There is no report of an experiment.")
		return
	}
	if !searched(a, f) {
		for i := range f.Experiments {
			failedChecks(a, c, &f.Experiments[i])
		}
		return
	}
	all := readers(c, f.Registry)
	if len(all) == 0 {
		a.unsure("Write the consumer that the experiment was done with into the registry.", "The registry has no reader, so that no report can be about one.")
	}
	used := make([]bool, len(f.Experiments))
	for _, e := range all {
		passed := map[string]bool{}
		for i := range f.Experiments {
			x := &f.Experiments[i]
			is, why := f.isAbout(x, e)
			if is == another {
				continue
			}
			used[i] = true
			failedChecks(a, c, x)
			names := passedChecks(c, x)
			if len(names) == 0 {
				continue
			}
			if is == unclear {
				a.unsure("Give a report that names the digest of the image that runs.", "%s: what passed in %s counts for nothing: %s.", e.Key, x.called(), why)
				continue
			}
			a.seen("%s: %s passed in %s.", e.Key, strings.Join(names, ", "), x.called())
			a.rests(e, x.File, x.Finished)
			tooOld(a, c, "The report "+x.called(), x.Finished, now, run)
			for _, name := range names {
				passed[name] = true
			}
		}
		var missing []string
		for _, name := range c.Checks {
			if !passed[name] {
				missing = append(missing, name)
			}
		}
		if len(missing) > 0 {
			a.unsure(run, "%s: no report about it in which %s passed.", e.Key, strings.Join(missing, ", "))
		}
	}
	for i := range f.Experiments {
		if x := &f.Experiments[i]; !used[i] {
			a.seen("%s is about %s and counts for nothing.", x.called(), x.subject())
		}
	}
}

// failedChecks says which of the criterion's checks failed in a report.
func failedChecks(a *answer, c *Criterion, x *ExperimentFile) {
	for _, check := range x.Checks {
		if check.Result == Failed && slices.Contains(c.Checks, check.Name) {
			a.against("See the report "+x.called()+".", "%s failed in %s: %s", check.Name, x.called(), strings.Join(check.Evidence, " "))
		}
	}
}

// passedChecks are the criterion's checks that passed in a report with something
// to show.
func passedChecks(c *Criterion, x *ExperimentFile) []string {
	var names []string
	for _, check := range x.Checks {
		if check.Result == Passed && len(check.Evidence) > 0 && slices.Contains(c.Checks, check.Name) {
			names = append(names, check.Name)
		}
	}
	return names
}

// isAbout compares a report's consumer and Kubernetes with a reader of the
// registry as it runs, and says why it cannot tell.
func (f *Facts) isAbout(x *ExperimentFile, e *registry.Entry) (about, string) {
	why := ""
	switch reported := x.Consumer.Digest; {
	case reported == "":
		if name := x.Consumer.Name; name != e.Application && name != e.Key {
			return another, ""
		}
		why = "it names no digest"
	default:
		digests := f.digests(e)
		switch {
		case len(digests) == 0:
			why = "the digest that runs is not known"
		case !digests[reported]:
			return another, ""
		}
	}
	if a, b := x.Consumer.ConfigHash, e.ConfigHash; a != "" && b != "" && a != b {
		return another, ""
	}
	reported, ok := minor(x.Kubernetes)
	switch running := f.kubernetes(); {
	case !ok:
		why = "its version of Kubernetes is not known"
	case running == "":
		why = "the cluster's version is not known"
	case reported != running:
		return another, ""
	}
	if why != "" {
		return unclear, why
	}
	return same, ""
}

// process is the kind of a workload that runs in no Pod, such as an agent on the
// machine of a load balancer. No Pod can show what runs of it.
const process = "process"

// digests are those that run of a consumer. They are the registry's where no Pod
// can show them: the cluster was not read, or a person wrote that it is a process.
func (f *Facts) digests(e *registry.Entry) map[string]bool {
	digests := map[string]bool{}
	if f.Cluster != nil && f.Cluster.Unread["pods"] == "" && e.Workload.Kind != process {
		for _, p := range f.Cluster.Pods {
			if p.of(e) {
				for _, i := range p.Images {
					digests[i.Digest] = true
				}
			}
		}
	} else {
		for _, i := range e.Images {
			digests[i.Digest] = true
		}
	}
	delete(digests, "")
	return digests
}

func (f *Facts) kubernetes() string {
	if f.Cluster == nil {
		return ""
	}
	version, _ := minor(f.Cluster.Kubernetes)
	return version
}

// minor is "1.37" of "v1.37.2", false if the text is no version.
func minor(version string) (string, bool) {
	parts := strings.SplitN(strings.TrimPrefix(version, "v"), ".", 3)
	if len(parts) < 2 || parts[0] == "" || parts[1] == "" {
		return "", false
	}
	// A managed cluster's minor version can end in "+".
	return parts[0] + "." + strings.TrimSuffix(parts[1], "+"), true
}

// called names a report with its file and date.
func (x *ExperimentFile) called() string {
	if x.File == "" {
		return x.Name + " (" + x.Finished.UTC().Format(time.DateOnly) + ")"
	}
	return x.Name + " (" + x.File + ", " + x.Finished.UTC().Format(time.DateOnly) + ")"
}

// subject is who and what a report is about.
func (x *ExperimentFile) subject() string {
	words := []string{x.Consumer.Name}
	if x.Consumer.Digest != "" {
		words = append(words, "with the digest "+x.Consumer.Digest)
	} else {
		words = append(words, "without a digest")
	}
	return strings.Join(append(words, "on Kubernetes "+x.Kubernetes), " ")
}
