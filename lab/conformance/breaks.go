package conformance

import (
	"fmt"
	"os"
	"slices"

	"sigs.k8s.io/yaml"
)

// LoadBreaks reads which scenarios each consumer is known to break.
func LoadBreaks(path string) (map[string][]string, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read which cells break: %w", err)
	}
	var known map[string][]string
	if err := yaml.UnmarshalStrict(content, &known); err != nil {
		return nil, fmt.Errorf("read which cells break: %s: %w", path, err)
	}
	return known, nil
}

// CompareBreaks holds the cells that break to a file that says by hand which do,
// consumer by consumer, and returns a line for each that differs. Consumers that
// the results do not have, and scenarios that were not played, are left out.
func (r *Results) CompareBreaks(path string) ([]string, error) {
	want, err := LoadBreaks(path)
	if err != nil {
		return nil, err
	}
	var differences []string
	for consumer, scenarios := range want {
		for _, name := range scenarios {
			if _, ok := find(name); !ok {
				differences = append(differences, fmt.Sprintf("%s: there is no scenario %s", consumer, name))
			}
		}
	}
	for _, cell := range r.Cells {
		breaks, said := cell.Verdict == Breaks, slices.Contains(want[cell.Consumer], cell.Scenario)
		switch {
		case cell.Verdict == NotRun:
			differences = append(differences, fmt.Sprintf("%s in %s could not be run: %s", cell.Consumer, cell.Scenario, cell.Note))
		case breaks && !said:
			o := cell.firstBroken()
			differences = append(differences, fmt.Sprintf("%s breaks %s in %s, in %d of %d plays: step %d, Service %s: wanted %s, seen %s",
				cell.Consumer, cell.Rule, cell.Scenario, cell.Broken, cell.Plays, o.Step, o.Service, o.Want, o.Summary()))
		case said && !breaks:
			differences = append(differences, fmt.Sprintf("%s does not break %s, as it is known to", cell.Consumer, cell.Scenario))
		}
	}
	slices.Sort(differences)
	return differences, nil
}

// CompareViews returns a line for each time that the addresses which answered
// new connections were not those that the consumer has by its own view: of
// kube-proxy these are its rules as nft lists them. It returns how often both were
// there to be compared.
func (r *Results) CompareViews(consumer string) (compared int, differences []string) {
	for _, cell := range r.Cells {
		if cell.Consumer != consumer {
			continue
		}
		for _, o := range cell.Observations {
			if o.ViewUnknown != "" {
				differences = append(differences, fmt.Sprintf("%s in %s, step %d: %s", consumer, cell.Scenario, o.Step, o.ViewUnknown))
			}
			if o.Seen == "" || o.View == "" {
				continue
			}
			compared++
			if o.Seen != o.View {
				differences = append(differences, fmt.Sprintf("%s in %s, step %d: %s answered, and it has %s", consumer, cell.Scenario, o.Step, o.Seen, o.View))
			}
		}
	}
	return compared, differences
}
