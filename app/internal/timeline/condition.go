package timeline

import (
	"fmt"

	discoveryv1 "k8s.io/api/discovery/v1"

	"github.com/slicewright/slicewright/endpointset"
)

// Condition is one condition of an endpoint or Pod as it was written: absent is
// a fact of its own, since what it means depends on the condition (S4).
type Condition uint8

// The zero value is Absent.
const (
	Absent Condition = iota
	False
	True
)

// ConditionOf returns the condition for an API's optional bool.
func ConditionOf(b *bool) Condition {
	switch {
	case b == nil:
		return Absent
	case *b:
		return True
	default:
		return False
	}
}

// Pointer returns the API's optional bool.
func (c Condition) Pointer() *bool {
	if c == Absent {
		return nil
	}
	b := c == True
	return &b
}

// String returns "T", "F" or "-", the notation of the rules.
func (c Condition) String() string {
	switch c {
	case True:
		return "T"
	case False:
		return "F"
	default:
		return "-"
	}
}

// Conditions are an endpoint's as the slice has them.
type Conditions struct {
	Ready, Serving, Terminating Condition
}

// Effective fills in what absent means (S4).
func (c Conditions) Effective() endpointset.Conditions {
	return endpointset.ConditionsOf(discoveryv1.EndpointConditions{
		Ready: c.Ready.Pointer(), Serving: c.Serving.Pointer(), Terminating: c.Terminating.Pointer(),
	})
}

// String returns ready/serving/terminating, for instance "T/T/F" or "-/-/-".
func (c Conditions) String() string {
	return c.Ready.String() + "/" + c.Serving.String() + "/" + c.Terminating.String()
}

// Pack returns the conditions as a number below 64, two bits each.
func (c Conditions) Pack() int64 {
	return int64(c.Ready) | int64(c.Serving)<<2 | int64(c.Terminating)<<4
}

// UnpackConditions is the inverse of Pack.
func UnpackConditions(n int64) (Conditions, error) {
	c := Conditions{Condition(n & 3), Condition(n >> 2 & 3), Condition(n >> 4 & 3)}
	if n < 0 || n > 63 || c.Ready > True || c.Serving > True || c.Terminating > True {
		return Conditions{}, fmt.Errorf("%d is no packed set of conditions", n)
	}
	return c, nil
}
