package readiness

import (
	"fmt"
	"strings"
	"time"

	"github.com/slicewright/slicewright/app/experiment/report"
	"github.com/slicewright/slicewright/app/internal/document"
	"github.com/slicewright/slicewright/app/internal/find/audit"
	"github.com/slicewright/slicewright/app/internal/find/evidence"
	"github.com/slicewright/slicewright/app/internal/find/registry"
	"github.com/slicewright/slicewright/app/internal/shadow"
	"github.com/slicewright/slicewright/app/internal/timeline"
)

// Facts are all that was found. What is nil was not given.
type Facts struct {
	Registry *registry.Registry
	Shadow   *shadow.Report
	Timeline *timeline.Report
	Audit    *audit.Result
	Cluster  *Cluster
	// Experiments are reports of the lab or of people. A check that several have
	// must not have failed in any.
	Experiments []ExperimentFile
	// Names are the files that the rest came from, "" where it is not known.
	Names Names
}

// Names are names of files.
type Names struct{ Registry, Shadow, Timeline string }

// ExperimentFile is a report and the file that it was read from.
type ExperimentFile struct {
	File string
	Experiment
}

// Cluster is what was read of a running cluster.
type Cluster struct {
	Read time.Time
	// Kubernetes is the API server's version, "" where it is not known.
	Kubernetes string
	CronJobs   []CronJob
	Leases     []Lease
	Pods       []Pod
	// Unread names resources that could not be listed, each with the reason.
	Unread map[string]string
}

// CronJob is a job that runs by the clock.
type CronJob struct {
	Namespace, Name string
	Schedule        string
	Suspended       bool
	// LastScheduled is when it was started last, zero for never.
	LastScheduled time.Time
}

// Lease is a lock of a leader election.
type Lease struct {
	Namespace, Name string
	Holder          string
	// Acquired is when the holder became it, zero when it does not say.
	Acquired time.Time
}

// Pod is a running Pod.
type Pod struct {
	Namespace, Name string
	ServiceAccount  string
	// Workload is the object that the Pod belongs to, zero where it is not known.
	Workload evidence.Workload
	// Started is when its first container started, zero for not yet.
	Started time.Time
	Images  []evidence.Image
}

// of reports whether the Pod is one of a consumer's. Several workloads can have
// one ServiceAccount: where both sides know the workload, it has to be the same.
func (p *Pod) of(e *registry.Entry) bool {
	if e.ServiceAccount == "" || p.Namespace+"/"+p.ServiceAccount != e.ServiceAccount {
		return false
	}
	a, b := p.Workload, e.Workload
	return a.Name == "" || b.Name == "" || strings.EqualFold(a.Kind, b.Kind) && a.Name == b.Name
}

// The report of an experiment is in package report, because other programs
// write it too.
type (
	// Experiment is a report.
	Experiment = report.Experiment
	// ExperimentCheck is one thing that an experiment looked at.
	ExperimentCheck = report.Check
	// Consumer is what an experiment was done with.
	Consumer = report.Consumer
)

// The kind of a report, and the results of a check.
const (
	ExperimentKind = report.Kind
	Passed         = report.Passed
	Failed         = report.Failed
	NotRun         = report.NotRun
)

// ParseExperiment reads a report, strictly; see report.Parse.
func ParseExperiment(data []byte) (*Experiment, error) { return report.Parse(data) }

// ParseShadow reads a report of slicewright shadow -o json.
func ParseShadow(data []byte) (*shadow.Report, error) {
	var r shadow.Report
	if err := document.Unmarshal(data, &r); err != nil {
		return nil, err
	}
	if r.APIVersion != shadow.APIVersion || r.Kind != shadow.ReportKind {
		return nil, fmt.Errorf("it is %q %q, not %s %s", r.APIVersion, r.Kind, shadow.APIVersion, shadow.ReportKind)
	}
	return &r, nil
}
