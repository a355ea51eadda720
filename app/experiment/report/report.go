// Package report is the report of an experiment: what was checked, with which
// result, and what was seen. The lab writes it, people who did the experiment
// on a cluster write it, and slicewright gate takes it.
//
// It is a package of its own so that a program that writes reports, such as
// the lab, imports no more than this.
package report

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/slicewright/slicewright/app/internal/api"
	"github.com/slicewright/slicewright/app/internal/document"
)

const (
	// APIVersion of the report.
	APIVersion = api.Version
	// Kind of the report.
	Kind = "ExperimentReport"
)

// Experiment is the report of a run of the lab, or of an experiment that people
// did on a cluster. Its schema is docs/schemas/experimentreport.schema.json.
type Experiment struct {
	APIVersion string    `json:"apiVersion"`
	Kind       string    `json:"kind"`
	Name       string    `json:"name"`
	Started    time.Time `json:"started"`
	Finished   time.Time `json:"finished"`
	// Kubernetes is the control plane's version.
	Kubernetes string `json:"kubernetes"`
	// Controllers is the controller-manager's --controllers during the experiment.
	Controllers string   `json:"controllers,omitempty"`
	Consumer    Consumer `json:"consumer"`
	Checks      []Check  `json:"checks"`
}

// Consumer is what an experiment was done with. A gate counts a report for a
// consumer only if the report has the digest of the image that runs.
type Consumer struct {
	Name string `json:"name"`
	// Kind is the kind of its workload, such as Deployment, or "process" for a
	// program that ran in no Pod.
	Kind  string `json:"kind,omitempty"`
	Image string `json:"image,omitempty"`
	// Digest is the image's, or, of a program that ran in no Pod, the one of its
	// file: "sha256:…".
	Digest string `json:"digest,omitempty"`
	// ConfigHash is any hash of the configuration that it ran with.
	ConfigHash string `json:"configHash,omitempty"`
}

// Result is what came of a check.
type Result string

// The results of a check.
const (
	Passed Result = "passed"
	Failed Result = "failed"
	// NotRun: an earlier step ended the experiment, or nobody asked for it.
	NotRun Result = "not-run"
)

// Check is one thing that an experiment looked at.
type Check struct {
	Name   string `json:"name"`
	Result Result `json:"result"`
	// Evidence says in sentences what was seen. A check that passed has some.
	Evidence []string `json:"evidence"`
}

// Parse reads a report, strictly: one of which a field is not understood proves
// nothing.
func Parse(data []byte) (*Experiment, error) {
	var e Experiment
	if err := document.Unmarshal(data, &e); err != nil {
		return nil, err
	}
	if e.APIVersion != APIVersion || e.Kind != Kind {
		return nil, fmt.Errorf("it is %q %q, not %s %s", e.APIVersion, e.Kind, APIVersion, Kind)
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

// JSON is the report as Parse reads it, with a line's end.
func (e *Experiment) JSON() ([]byte, error) {
	data, err := json.MarshalIndent(e, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("encode the report: %w", err)
	}
	return append(data, '\n'), nil
}

// Failed are the names of the checks that failed, in order.
func (e *Experiment) Failed() []string {
	var names []string
	for _, c := range e.Checks {
		if c.Result == Failed {
			names = append(names, c.Name)
		}
	}
	return names
}
