package conformance

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"
)

// evidence is the page of a scenario: what was written, what had to be seen, and
// what each consumer did.
func evidence(r *Results, s *Scenario) (string, error) {
	var text strings.Builder
	text.WriteString(generated)
	fmt.Fprintf(&text, "# %s\n\nA scenario of [conformance.md](../conformance.md); its slices are in [lab/conformance](../../lab/conformance). Play it alone: `slicewright-lab conformance --scenario %s`\n\n", plain(s.Title), s.Name)
	fmt.Fprintf(&text, "Addresses are written by their last part: 7 is %s, 6:7 is %s. The port is %d unless it is said.\n\n",
		s.block().address(false, 7), s.block().address(true, 7), defaultPort)

	text.WriteString("| step | | Service | ready | kube-proxy | published | Endpoints | rule |\n|---|---|---|---|---|---|---|---|\n")
	for n, step := range s.Steps {
		for _, w := range step.Want {
			fmt.Fprintf(&text, "| %d | %s | %s", n+1, plain(step.Say), w.ServiceName())
			rules := []string{}
			for _, p := range []Policy{PolicyReady, PolicyKubeProxy, PolicyPublished, PolicyEndpoints} {
				set, rule := w.Set(p)
				fmt.Fprintf(&text, " | %s", set)
				if p != PolicyEndpoints && !slices.Contains(rules, rule) {
					rules = append(rules, rule)
				}
			}
			fmt.Fprintf(&text, " | %s |\n", strings.Join(rules, ", "))
		}
	}
	for _, c := range r.Consumers {
		cell, ok := r.Cell(s.Name, c.Name)
		if !ok {
			continue
		}
		fmt.Fprintf(&text, "\n## %s\n\n%s, held to `%s`: **%s**", c.Name, plain(c.Title), c.Policy, cell.Verdict)
		if cell.Rule != "" {
			fmt.Fprintf(&text, ", %s", cell.Rule)
		}
		if cell.Broken > 0 {
			fmt.Fprintf(&text, ", not as promised in %d of %d plays", cell.Broken, cell.Plays)
		}
		if cell.Broken > 0 && cell.Verdict == Breaks {
			fmt.Fprintf(&text, "; %s", cell.healing())
		}
		text.WriteString(".\n")
		if cell.Note != "" {
			fmt.Fprintf(&text, "\n%s\n", plain(cell.Note))
		}
		if len(cell.Observations) == 0 {
			continue
		}
		text.WriteString("\n| step | Service | wanted | answered | its view | new connections | |\n|---|---|---|---|---|---|---|\n")
		for _, o := range cell.Observations {
			fmt.Fprintf(&text, "| %d | %s | %s | %s | %s | %s | %s |\n", o.Step, o.Service, o.Want, o.Seen, plain(or(o.View, o.ViewUnknown)), o.connections(),
				plain(map[bool]string{true: "", false: or(o.Unknown, "wrong")}[o.OK]))
		}
	}
	return text.String(), nil
}

// connections counts those that were made, and says why some failed.
func (o Observation) connections() string {
	if o.Requests == 0 {
		return ""
	}
	text := fmt.Sprint(o.Requests)
	for _, failure := range slices.Sorted(maps.Keys(o.Failures)) {
		text += fmt.Sprintf(", %d × %s", o.Failures[failure], plain(failure))
	}
	return text
}

// manifests is what a step applies, as kubectl would take it.
func (s *Scenario) manifests(slices []Slice, namespace string) (string, error) {
	b := s.block()
	b.namespace = namespace
	var parts []string
	for _, slice := range slices {
		object, err := slice.object(b, or(slice.Service, defaultService))
		if err != nil {
			return "", err
		}
		content, err := yaml.Marshal(object)
		if err != nil {
			return "", fmt.Errorf("encode slice %s: %w", slice.Name, err)
		}
		parts = append(parts, string(content))
	}
	return strings.Join(parts, "---\n"), nil
}
