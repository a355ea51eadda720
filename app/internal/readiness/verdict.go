package readiness

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/slicewright/slicewright/app/internal/find/registry"
)

// Status is what is said of a criterion.
type Status string

// The statuses.
const (
	Met    Status = "met"
	NotMet Status = "not-met"
	// Unknown: the evidence does not decide it.
	Unknown Status = "unknown"
)

// Outcome is what all criteria together come to.
type Outcome string

// The outcomes.
const (
	Ready    Outcome = "ready"
	NotReady Outcome = "not-ready"
	// Undecided: nothing is against it, and not enough is for it.
	Undecided Outcome = "unknown"
)

// Verdict is the answer. Its schema is docs/schemas/readinessverdict.schema.json.
type Verdict struct {
	APIVersion string    `json:"apiVersion"`
	Kind       string    `json:"kind"`
	At         time.Time `json:"at"`
	// Outcome is ready if every criterion is met or waived; not-ready if one that
	// is not waived is not met.
	Outcome  Outcome  `json:"outcome"`
	Criteria []Result `json:"criteria"`
	// Consumers lists, for each consumer, which criterion rests on which file.
	Consumers []ConsumerEvidence `json:"consumers"`
}

// ConsumerEvidence is what speaks for one consumer.
type ConsumerEvidence struct {
	// Consumer is the entry's key in the registry.
	Consumer string `json:"consumer"`
	Rests    []Rest `json:"rests"`
}

// Rest is a criterion with the file that it rests on.
type Rest struct {
	Criterion string `json:"criterion"`
	// File is "" where the evidence came by another way.
	File string `json:"file,omitempty"`
	// Of is when the evidence was gathered.
	Of time.Time `json:"of"`
}

// Result is what was found of one criterion. A waiver does not change the status.
type Result struct {
	Name     string   `json:"name"`
	Title    string   `json:"title"`
	Status   Status   `json:"status"`
	Evidence []string `json:"evidence"`
	// Settle says what would decide it, or make it hold.
	Settle []string       `json:"settle"`
	Waiver *AppliedWaiver `json:"waiver,omitempty"`
}

// AppliedWaiver is a waiver of a criterion that is not met. One that has expired
// is shown, and counts for nothing.
type AppliedWaiver struct {
	By      string `json:"by"`
	Reason  string `json:"reason"`
	Expires string `json:"expires"`
	Expired bool   `json:"expired"`
}

// Passes reports that the criterion is in nobody's way.
func (r *Result) Passes() bool {
	return r.Status == Met || r.Waiver != nil && !r.Waiver.Expired
}

// Evaluate decides every criterion by the facts, as of a moment.
func Evaluate(criteria *Criteria, facts *Facts, now time.Time) *Verdict {
	v := &Verdict{APIVersion: APIVersion, Kind: VerdictKind, At: now.UTC(), Outcome: Ready, Criteria: []Result{}, Consumers: []ConsumerEvidence{}}
	for i := range criteria.Criteria {
		c := &criteria.Criteria[i]
		r, rests := decide(c, facts, now)
		v.add(c.Name, rests)
		if r.Status != Met {
			r.Waiver = criteria.waiverOf(c.Name, now)
		}
		v.Criteria = append(v.Criteria, r)
	}
	has := func(s Status) bool {
		return slices.ContainsFunc(v.Criteria, func(r Result) bool { return r.Status == s && !r.Passes() })
	}
	switch {
	case has(NotMet):
		v.Outcome = NotReady
	case has(Unknown) || len(v.Criteria) == 0:
		v.Outcome = Undecided
	}
	return v
}

func decide(c *Criterion, facts *Facts, now time.Time) (Result, []rest) {
	a := &answer{status: Met}
	if check, ok := checks[c.Check]; ok {
		check.run(a, c, facts, now)
	} else {
		a.unsure(fmt.Sprintf("Use one of the checks %s, or let somebody waive it.", checkNames()), "The check %q is not known, so that nothing can decide it.", c.Check)
	}
	if a.status == Met && len(a.evidence) == 0 {
		// A check with nothing to show must not pass, whatever led to it.
		a.unsure("Give the evidence that it asks for.", "Nothing speaks for it.")
	}
	return Result{Name: c.Name, Title: c.Title, Status: a.status, Evidence: append([]string{}, a.evidence...), Settle: append([]string{}, a.settle...)}, a.resting
}

// waiverOf returns the waiver that lasts longest, nil if the criterion has no
// waiver.
func (c *Criteria) waiverOf(name string, now time.Time) *AppliedWaiver {
	var longest *AppliedWaiver
	var last time.Time
	for i := range c.Waivers {
		w := &c.Waivers[i]
		end, err := w.end()
		if w.Criterion != name || err != nil || longest != nil && !end.After(last) {
			continue
		}
		longest, last = &AppliedWaiver{w.By, w.Reason, w.Expires, !now.Before(end)}, end
	}
	return longest
}

// answer is a check's while it is made. It begins as met and only gets worse.
type answer struct {
	status           Status
	evidence, settle []string
	resting          []rest
}

// rest is a file that speaks for a consumer.
type rest struct {
	consumer, file string
	of             time.Time
}

// rests notes that what was seen of a consumer is from a file.
func (a *answer) rests(e *registry.Entry, file string, of time.Time) {
	a.resting = append(a.resting, rest{e.Key, file, of})
}

// add notes what a criterion rests on, sorted by consumer.
func (v *Verdict) add(criterion string, rests []rest) {
	for _, r := range rests {
		i, found := slices.BinarySearchFunc(v.Consumers, r.consumer, func(c ConsumerEvidence, key string) int { return strings.Compare(c.Consumer, key) })
		if !found {
			v.Consumers = slices.Insert(v.Consumers, i, ConsumerEvidence{Consumer: r.consumer, Rests: []Rest{}})
		}
		v.Consumers[i].Rests = append(v.Consumers[i].Rests, Rest{criterion, r.file, r.of.UTC()})
	}
}

// seen adds what speaks for the criterion.
func (a *answer) seen(format string, args ...any) {
	a.evidence = append(a.evidence, fmt.Sprintf(format, args...))
}

// unsure says why the evidence does not decide it, and what would.
func (a *answer) unsure(settle, format string, args ...any) {
	if a.status == Met {
		a.status = Unknown
	}
	a.seen(format, args...)
	a.todo(settle)
}

// against says what speaks against it, and what to do about that.
func (a *answer) against(settle, format string, args ...any) {
	a.status = NotMet
	a.seen(format, args...)
	a.todo(settle)
}

// todo adds a step once: ten consumers without an owner are one thing to do.
func (a *answer) todo(settle string) {
	if !slices.Contains(a.settle, settle) {
		a.settle = append(a.settle, settle)
	}
}
