package conformance

import (
	"fmt"
	"slices"
)

// Scenarios returns all of them, in the order of the table.
func Scenarios() []*Scenario {
	return slices.Concat(shapes(), moves(), labels(), conditions(), hints(), cluster())
}

// number is the scenario's place, and its block of addresses.
func (s *Scenario) number() byte {
	i := slices.IndexFunc(Scenarios(), func(other *Scenario) bool { return other.Name == s.Name })
	if i < 0 {
		panic(fmt.Sprintf("scenario %s is not in the catalog", s.Name))
	}
	return byte(i + 1)
}

func (s *Scenario) block() block { return block{number: s.number()} }
