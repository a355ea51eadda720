package registry

import (
	"fmt"

	"github.com/slicewright/slicewright/app/internal/api"
	"github.com/slicewright/slicewright/app/internal/document"
	"github.com/slicewright/slicewright/app/internal/find/apimetrics"
	"github.com/slicewright/slicewright/app/internal/find/evidence"
)

// The identity of the document.
const (
	APIVersion = api.Version
	Kind       = "ConsumerRegistry"
)

// Registry is the result of a search, and the file in which people keep it.
type Registry struct {
	APIVersion string  `json:"apiVersion"`
	Kind       string  `json:"kind"`
	Entries    []Entry `json:"entries"`
	Groups     []Group `json:"groups,omitempty"`
	// Obstacles are what stands in the way on a cluster and is nobody's code.
	Obstacles []evidence.Obstacle `json:"obstacles,omitempty"`
	// Patches are what Roles lack for EndpointSlices.
	Patches    []RolePatch            `json:"patches,omitempty"`
	CrossCheck *apimetrics.CrossCheck `json:"crossCheck,omitempty"`
	Coverage   []evidence.Coverage    `json:"coverage"`
	// Comments are those of the file that the registry was loaded from, or that
	// it was reconciled with. Nil if there are none.
	Comments *Comments `json:"-"`
}

// Entry is one consumer of Endpoints.
type Entry struct {
	// Key names the entry over all runs. It never changes once it is in a file,
	// even if a later run knows more about the consumer.
	Key         string            `json:"key"`
	Application string            `json:"application"`
	Owner       string            `json:"owner"`
	Class       evidence.Class    `json:"class"`
	Workload    evidence.Workload `json:"workload"`
	Images      []evidence.Image  `json:"images"`
	// ConfigHash is, by a person's word, the hash of the configuration that evidence
	// has to be about. "" leaves it open.
	ConfigHash     string              `json:"configHash,omitempty"`
	ServiceAccount string              `json:"serviceAccount"`
	User           string              `json:"user"`
	UserAgents     []string            `json:"userAgents"`
	Pods           []string            `json:"pods,omitempty"`
	Namespaces     []string            `json:"namespaces"`
	Verbs          map[string]int      `json:"verbs"`
	Refused        int                 `json:"refused,omitempty"`
	Access         []string            `json:"access"`
	PublishesTo    string              `json:"publishesTo"`
	Confidence     evidence.Confidence `json:"confidence"`
	Status         evidence.Status     `json:"status"`
	// Notes are people's own words. Remarks are the sources'.
	Notes    string              `json:"notes,omitempty"`
	Remarks  []string            `json:"remarks,omitempty"`
	Advice   string              `json:"advice,omitempty"`
	Evidence []evidence.Evidence `json:"evidence"`

	// FoundStatus and FoundOwner are what the last run would have written. What
	// differs from them was written by a person, and stays.
	FoundStatus evidence.Status `json:"foundStatus,omitempty"`
	FoundOwner  string          `json:"foundOwner,omitempty"`
	// Missing is set if only people's words are left: the last run found nothing.
	Missing bool `json:"missing,omitempty"`
}

// Consumer says whether the entry is somebody's to migrate: not the control
// plane, and not a person at a terminal.
func (e *Entry) Consumer() bool {
	return e.Class != evidence.Expected && e.Class != evidence.Tooling
}

// Rank orders confidences, the strongest lowest. An unknown one ranks last.
func Rank(c evidence.Confidence) int {
	switch c {
	case evidence.Proven:
		return 0
	case evidence.Strong:
		return 1
	case evidence.Likely:
		return 2
	case evidence.Possible:
		return 3
	case evidence.Broad:
		return 4
	}
	return 5
}

// classRank orders classes for an entry about which sources differ: who writes
// Endpoints also reads them, and the special cases say more than "reader".
func classRank(c evidence.Class) int {
	switch c {
	case evidence.Expected:
		return 0
	case evidence.Lock:
		return 1
	case evidence.Producer:
		return 2
	case evidence.StateStore:
		return 3
	case evidence.Tooling:
		return 4
	case evidence.Reader:
		return 5
	case evidence.Walker:
		return 6
	}
	return 7
}

// Parse reads a registry. Unknown fields are errors: a misspelled "owner" would
// be lost at the next write.
func Parse(b []byte) (*Registry, error) {
	var r Registry
	if err := document.Unmarshal(b, &r); err != nil {
		return nil, err
	}
	if r.Kind != Kind || r.APIVersion != APIVersion {
		return nil, fmt.Errorf("it is %q %q, not %s %s", r.APIVersion, r.Kind, APIVersion, Kind)
	}
	r.Comments = readComments(b)
	return &r, nil
}
