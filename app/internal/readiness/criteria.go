package readiness

import (
	_ "embed"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/slicewright/slicewright/app/internal/api"
	"github.com/slicewright/slicewright/app/internal/document"
	"github.com/slicewright/slicewright/app/internal/find/evidence"
	"github.com/slicewright/slicewright/app/internal/find/registry"
)

// The identities of the documents of this package.
const (
	APIVersion   = api.Version
	CriteriaKind = "ReadinessCriteria"
	VerdictKind  = "ReadinessVerdict"
)

// Criteria are what has to hold, and what people decided to do without.
type Criteria struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	// Criteria are evaluated and shown in this order. A file that has none takes
	// those of [DefaultCriteria].
	Criteria []Criterion `json:"criteria,omitempty"`
	Waivers  []Waiver    `json:"waivers,omitempty"`
}

// Criterion is one thing that has to hold. Check says how it is decided; the
// fields after it are the check's, and each check takes only some of them. A
// check that is not known decides nothing: the criterion is unknown, and people
// can waive it.
type Criterion struct {
	Name  string `json:"name"`
	Title string `json:"title"`
	Check string `json:"check"`

	// Confidence bounds which entries of a registry count: those at this level or
	// above.
	Confidence evidence.Confidence `json:"confidence,omitempty"`
	// Sources are those that a search must have read.
	Sources []evidence.Source `json:"sources,omitempty"`
	// AtLeast is how long something must have been watched.
	AtLeast metav1.Duration `json:"atLeast,omitzero"`
	// MaxAge is how old evidence may be.
	MaxAge metav1.Duration `json:"maxAge,omitzero"`
	// Expected are users and ServiceAccounts (namespace/name) that may use
	// Endpoints.
	Expected []string `json:"expected,omitempty"`
	// Checks are those that an experiment must have passed.
	Checks []string `json:"checks,omitempty"`
	// Codes are findings that a recording must not have.
	Codes []string `json:"codes,omitempty"`
}

// Waiver is a person's decision to do without a criterion, for a while.
type Waiver struct {
	Criterion string `json:"criterion"`
	// By is who decided.
	By     string `json:"by"`
	Reason string `json:"reason"`
	// Expires is the last day, in UTC, on which it counts: 2006-01-02.
	Expires string `json:"expires"`
}

//go:embed criteria.yaml
var defaults []byte

// DefaultCriteria are those that come with the program.
func DefaultCriteria() *Criteria {
	c, err := ParseCriteria(defaults)
	if err != nil {
		panic(err) // it is part of the program, and a test parses it
	}
	return c
}

// nameForm is that of criteria's names: people write them into waivers.
var nameForm = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$`)

// ParseCriteria reads criteria from YAML or JSON. Unknown fields, doubled names
// and waivers without a name, a reason or a date are errors.
func ParseCriteria(data []byte) (*Criteria, error) {
	var c Criteria
	if err := document.Unmarshal(data, &c); err != nil {
		return nil, err
	}
	if c.APIVersion != APIVersion || c.Kind != CriteriaKind {
		return nil, fmt.Errorf("it is %q %q, not %s %s", c.APIVersion, c.Kind, APIVersion, CriteriaKind)
	}
	if len(c.Criteria) == 0 {
		c.Criteria = DefaultCriteria().Criteria
	}
	var errs []error
	names := map[string]bool{}
	for i := range c.Criteria {
		cr := &c.Criteria[i]
		if err := cr.validate(); err != nil {
			errs = append(errs, fmt.Errorf("criteria[%d]: %w", i, err))
		}
		if names[cr.Name] {
			errs = append(errs, fmt.Errorf("criteria[%d]: the name %q is there twice", i, cr.Name))
		}
		names[cr.Name] = true
	}
	for i := range c.Waivers {
		if err := c.Waivers[i].validate(names); err != nil {
			errs = append(errs, fmt.Errorf("waivers[%d]: %w", i, err))
		}
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	return &c, nil
}

func (c *Criterion) validate() error {
	if !nameForm.MatchString(c.Name) {
		return fmt.Errorf("%q is no name: use small letters, digits and -", c.Name)
	}
	if c.AtLeast.Duration < 0 || c.MaxAge.Duration < 0 {
		return fmt.Errorf("%s: a time span is negative", c.Name)
	}
	if c.Confidence != "" {
		if _, err := registry.ParseLevel(string(c.Confidence)); err != nil {
			return fmt.Errorf("%s: confidence: %w", c.Name, err)
		}
	}
	check, known := checks[c.Check]
	if !known {
		return nil // it decides nothing, which the verdict says
	}
	for field, set := range map[string]bool{
		"confidence": c.Confidence != "", "sources": c.Sources != nil, "atLeast": c.AtLeast.Duration != 0, "maxAge": c.MaxAge.Duration != 0,
		"expected": c.Expected != nil, "checks": c.Checks != nil, "codes": c.Codes != nil,
	} {
		if set && !slices.Contains(check.fields, field) {
			return fmt.Errorf("%s: the check %s takes no %s", c.Name, c.Check, field)
		}
	}
	for _, needed := range check.needs {
		if needed == "sources" && len(c.Sources) == 0 || needed == "checks" && len(c.Checks) == 0 || needed == "codes" && len(c.Codes) == 0 {
			return fmt.Errorf("%s: the check %s needs %s: with none it would hold of anything", c.Name, c.Check, needed)
		}
	}
	return nil
}

func (w *Waiver) validate(names map[string]bool) error {
	switch {
	case !names[w.Criterion]:
		return fmt.Errorf("there is no criterion %q", w.Criterion)
	case strings.TrimSpace(w.By) == "":
		return fmt.Errorf("%s: by is missing: who decided it?", w.Criterion)
	case strings.TrimSpace(w.Reason) == "":
		return fmt.Errorf("%s: reason is missing", w.Criterion)
	}
	if _, err := w.end(); err != nil {
		return fmt.Errorf("%s: expires: %q is no date: write it as 2006-01-02", w.Criterion, w.Expires)
	}
	return nil
}

// end is the first moment at which the waiver does not count any more.
func (w *Waiver) end() (time.Time, error) {
	day, err := time.ParseInLocation(time.DateOnly, w.Expires, time.UTC)
	return day.AddDate(0, 0, 1), err
}
