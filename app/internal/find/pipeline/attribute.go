package pipeline

import (
	"github.com/slicewright/slicewright/app/internal/find/apimetrics"
	"github.com/slicewright/slicewright/app/internal/find/evidence"
	"github.com/slicewright/slicewright/app/internal/find/objects"
	"github.com/slicewright/slicewright/app/internal/find/obstacles"
	"github.com/slicewright/slicewright/app/internal/find/rbac"
	"github.com/slicewright/slicewright/app/internal/find/registry"
	"github.com/slicewright/slicewright/app/internal/find/workloads"
	"github.com/slicewright/slicewright/app/internal/find/writers"
)

// Attributed is the second stage: all findings, each with the application, the
// owner and the workload that are known of it, and what the objects say besides.
type Attributed struct {
	Findings  []evidence.Finding
	Coverage  []evidence.Coverage
	Obstacles []evidence.Obstacle
	Patches   []registry.RolePatch
	// CrossCheck is nil without metrics.
	CrossCheck *apimetrics.CrossCheck
	// running are the workloads of each snapshot.
	running []*workloads.Index
}

// Attribute judges the objects that were found, and names whom all findings are
// about. It takes over the findings in f.
func Attribute(f Found) Attributed {
	var a Attributed
	for i := range f.Trees {
		for _, r := range f.Trees[i].Readings {
			attributeSource(&f.Trees[i], r.Findings)
			a.add(r.Findings, r.Coverage)
		}
	}
	for _, o := range f.Objects {
		a.Coverage = append(a.Coverage, o.Coverage)
		if o.Snapshot != nil {
			a.judge(o.Snapshot)
		}
	}
	var explained *apimetrics.Explained
	for _, log := range f.Logs {
		for _, index := range a.running {
			attributeWorkloads(log.Findings, index)
		}
		a.add(log.Findings, log.Coverage)
		if log.Totals != nil {
			explained = log.Totals
		}
	}
	if f.Metrics != nil {
		a.crossCheck(f.Metrics, explained)
	}
	for _, index := range a.running {
		attributeStaticPods(a.Findings, index)
	}
	obstacles.AddLogged(a.Obstacles, a.Findings)
	return a
}

// AttributeLog names the workloads that findings of an audit log are about. It is
// for a process that sees the log alone.
func AttributeLog(findings []evidence.Finding, running *workloads.Index) {
	attributeWorkloads(findings, running)
	attributeStaticPods(findings, running)
}

func (a *Attributed) add(findings []evidence.Finding, coverage evidence.Coverage) {
	a.Findings = append(a.Findings, findings...)
	a.Coverage = append(a.Coverage, coverage)
}

// judge adds what follows from the objects of a snapshot.
func (a *Attributed) judge(s *objects.Snapshot) {
	grants := rbac.Analyze(s)
	a.running = append(a.running, grants.Workloads)
	a.add(grants.Findings, grants.Coverage)
	a.add(writers.Find(s, grants))
	inTheWay, nameServers := obstacles.Find(s, grants)
	a.Obstacles = append(a.Obstacles, inTheWay...)
	a.Findings = append(a.Findings, nameServers...)
	for _, p := range grants.Patches {
		a.Patches = append(a.Patches, rolePatch(p))
	}
}

// crossCheck compares the metrics with the log that explains them.
func (a *Attributed) crossCheck(m *Metrics, explained *apimetrics.Explained) {
	check, coverage := m.Counts.Check(explained)
	coverage.Skipped += len(m.Unread)
	coverage.Problems = append(m.Unread, coverage.Problems...)
	a.CrossCheck = &check
	a.Coverage = append(a.Coverage, coverage)
}

// Registry returns the last stage: one entry for each consumer.
func (a Attributed) Registry() *registry.Registry {
	r := registry.Build(a.Findings, a.Coverage)
	r.Obstacles, r.Patches, r.CrossCheck = a.Obstacles, a.Patches, a.CrossCheck
	return r
}
