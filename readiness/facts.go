package readiness

import (
	"fmt"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/slicewright/slicewright/inventory"
	"github.com/slicewright/slicewright/inventory/audit"
	"github.com/slicewright/slicewright/inventory/evidence"
	"github.com/slicewright/slicewright/shadow"
	"github.com/slicewright/slicewright/timeline"
)

// Facts are all that was found. What is nil was not given.
type Facts struct {
	Registry *inventory.Registry
	Shadow   *shadow.Report
	Timeline *timeline.Report
	Audit    *audit.Result
	Cluster  *Cluster
	// Experiments are the lab's reports. Of a check that several have, none may
	// have failed.
	Experiments []Experiment
}

// Cluster is what was read of a running cluster.
type Cluster struct {
	Read     time.Time
	CronJobs []CronJob
	Leases   []Lease
	Pods     []Pod
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
	// Started is when its first container started, zero for not yet.
	Started time.Time
	Images  []evidence.Image
}

// ExperimentKind is the kind of an experiment's report.
const ExperimentKind = "ExperimentReport"

// Experiment is the report of a run of the lab, or of an experiment that people
// did on a cluster: its checks, what came of each, and what was seen. Its schema
// is docs/schemas/experimentreport.schema.json.
type Experiment struct {
	APIVersion string    `json:"apiVersion"`
	Kind       string    `json:"kind"`
	Name       string    `json:"name"`
	Started    time.Time `json:"started"`
	Finished   time.Time `json:"finished"`
	// Kubernetes is the control plane's version.
	Kubernetes string `json:"kubernetes"`
	// Controllers is the controller-manager's --controllers during the experiment.
	Controllers string            `json:"controllers,omitempty"`
	Consumer    Consumer          `json:"consumer"`
	Checks      []ExperimentCheck `json:"checks"`
}

// Consumer is what an experiment was done with.
type Consumer struct {
	Name   string `json:"name"`
	Image  string `json:"image,omitempty"`
	Digest string `json:"digest,omitempty"`
}

// CheckResult is what came of a check.
type CheckResult string

// The results of a check.
const (
	Passed CheckResult = "passed"
	Failed CheckResult = "failed"
	// NotRun: an earlier step ended the experiment.
	NotRun CheckResult = "not-run"
)

// ExperimentCheck is one thing that an experiment looked at.
type ExperimentCheck struct {
	Name   string      `json:"name"`
	Result CheckResult `json:"result"`
	// Evidence says in sentences what was seen. A check that passed has some.
	Evidence []string `json:"evidence"`
}

// ParseExperiment reads a report, strictly: one of which a field is not
// understood proves nothing.
func ParseExperiment(data []byte) (*Experiment, error) {
	var e Experiment
	if err := yaml.UnmarshalStrict(data, &e); err != nil {
		return nil, err
	}
	if e.APIVersion != APIVersion || e.Kind != ExperimentKind {
		return nil, fmt.Errorf("it is %q %q, not %s %s", e.APIVersion, e.Kind, APIVersion, ExperimentKind)
	}
	if e.Name == "" || e.Finished.IsZero() || e.Finished.Before(e.Started) {
		return nil, fmt.Errorf("it needs a name, and times of its start and end")
	}
	for i, c := range e.Checks {
		if c.Name == "" || c.Result != Passed && c.Result != Failed && c.Result != NotRun {
			return nil, fmt.Errorf("checks[%d]: needs a name, and passed, failed or not-run as its result; it has %q and %q", i, c.Name, c.Result)
		}
	}
	return &e, nil
}

// ParseShadow reads a report of slicewright shadow -o json.
func ParseShadow(data []byte) (*shadow.Report, error) {
	var r shadow.Report
	if err := yaml.UnmarshalStrict(data, &r); err != nil {
		return nil, err
	}
	if r.APIVersion != shadow.APIVersion || r.Kind != shadow.ReportKind {
		return nil, fmt.Errorf("it is %q %q, not %s %s", r.APIVersion, r.Kind, shadow.APIVersion, shadow.ReportKind)
	}
	return &r, nil
}
