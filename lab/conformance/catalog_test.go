package conformance

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A scenario with a mistake of ours would accuse every consumer.
func TestScenariosAreSound(t *testing.T) {
	semantics, err := os.ReadFile("../../docs/semantics.md")
	if err != nil {
		t.Fatal(err)
	}
	name := regexp.MustCompile(`^[a-z][a-z-]{2,30}$`)
	seen := map[string]bool{}
	for _, s := range Scenarios() {
		if !name.MatchString(s.Name) || seen[s.Name] || s.Title == "" {
			t.Errorf("scenario %q: its name is no name or twice there, or it has no title", s.Name)
		}
		seen[s.Name] = true
		judged := 0
		for n, step := range s.Steps {
			if step.Say == "" {
				t.Errorf("%s, step %d says nothing", s.Name, n+1)
			}
			there := published(t, s, n)
			for _, w := range step.Want {
				judged++
				if !slices.Contains(s.services(), w.ServiceName()) {
					t.Errorf("%s, step %d is about Service %s, which is not there", s.Name, n+1, w.ServiceName())
				}
				for _, p := range []Policy{PolicyReady, PolicyKubeProxy, PolicyPublished, PolicyEndpoints} {
					text, rule := w.Set(p)
					set, err := s.block().set(text)
					if err != nil {
						t.Errorf("%s, step %d, %s: %v", s.Name, n+1, p, err)
					}
					if rule != ruleEndpoints && !strings.Contains(string(semantics), "\n### "+rule+" ") {
						t.Errorf("%s, step %d, %s: rule %q is not in docs/semantics.md", s.Name, n+1, p, rule)
					}
					for _, a := range set {
						if !s.Pods && !there[w.ServiceName()+" "+a.Addr().String()] {
							t.Errorf("%s, step %d, %s wants %s, which no slice of Service %s has", s.Name, n+1, p, a, w.ServiceName())
						}
					}
				}
			}
		}
		if judged == 0 {
			t.Errorf("%s wants nothing", s.Name)
		}
	}
	if len(seen) < 30 {
		t.Errorf("only %d scenarios", len(seen))
	}
}

// published are the addresses that some slice of a Service has after a step,
// with "SERVICE " before them. What a snapshot brings back counts as well.
func published(t *testing.T, s *Scenario, step int) map[string]bool {
	t.Helper()
	state := s.stateAfter(step + 1)
	for n := range s.Steps[:step+1] {
		if s.Steps[n].Lab != nil {
			state = append(state, s.stateAfter(n)...)
		}
	}
	there := map[string]bool{}
	for _, slice := range state {
		object, err := slice.object(s.block(), "")
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range object.Endpoints {
			there[or(slice.Service, defaultService)+" "+e.Addresses[0]] = true
		}
	}
	return there
}

func TestStateAfterIsWhatIsLeft(t *testing.T) {
	s := &Scenario{Steps: []Step{
		{Apply: []Slice{{Name: "a"}, {Name: "b"}}},
		{Apply: []Slice{{Name: "a", Service: "other"}}},
		{Apply: []Slice{{Name: "c"}}, Delete: []string{"b"}},
	}}
	var got []string
	for _, slice := range s.stateAfter(3) {
		got = append(got, slice.Name+or(slice.Service, "-"))
	}
	// The order is that of the last writes.
	if strings.Join(got, " ") != "aother c-" {
		t.Errorf("got %v", got)
	}
}
