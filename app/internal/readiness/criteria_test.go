package readiness

import (
	"strings"
	"testing"
)

const head = "apiVersion: slicewright.dev/v1alpha1\nkind: ReadinessCriteria\n"

func TestAFileWithWaiversAloneTakesTheDefaults(t *testing.T) {
	c, err := ParseCriteria([]byte(head + "waivers: [{criterion: data-checks, by: Ada, reason: r, expires: \"2026-06-01\"}]\n"))
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Criteria) != len(DefaultCriteria().Criteria) || len(c.Waivers) != 1 {
		t.Errorf("%d criteria, %d waivers", len(c.Criteria), len(c.Waivers))
	}
}

func TestMistakesInCriteria(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"no YAML", "a: [", "yaml"},
		{"another kind", "apiVersion: v1\nkind: ConfigMap\n", `it is "v1" "ConfigMap"`},
		{"another version", "apiVersion: slicewright.dev/v2\nkind: ReadinessCriteria\n", "slicewright.dev/v2"},
		{"an unknown field", head + "criteria: [{name: a, chek: b}]\n", "chek"},
		{"no name", head + "criteria: [{name: \"A b\", check: audit-window}]\n", `criteria[0]: "A b" is no name`},
		{"a name twice", head + "criteria: [{name: a, check: audit-window}, {name: a, check: audit-window}]\n", `criteria[1]: the name "a" is there twice`},
		{"a field of another check", head + "criteria: [{name: a, check: audit-window, codes: [b]}]\n", "a: the check audit-window takes no codes"},
		{"a check of nothing", head + "criteria: [{name: a, check: experiment-checks}]\n", "a: the check experiment-checks needs checks"},
		{"a level that is none", head + "criteria: [{name: a, check: consumers-owned, confidence: sure}]\n", "a: confidence: "},
		{"a negative time", head + "criteria: [{name: a, check: audit-window, atLeast: -1h}]\n", "a: a time span is negative"},
		{"a time that is none", head + "criteria: [{name: a, check: audit-window, atLeast: long}]\n", "invalid duration"},
		{"a waiver of nothing", head + "waivers: [{criterion: x, by: a, reason: b, expires: \"2026-06-01\"}]\n", `waivers[0]: there is no criterion "x"`},
		{"a waiver of nobody", head + "waivers: [{criterion: data-checks, reason: b, expires: \"2026-06-01\"}]\n", "by is missing"},
		{"a waiver for no reason", head + "waivers: [{criterion: data-checks, by: a, reason: \" \", expires: \"2026-06-01\"}]\n", "reason is missing"},
		{"a waiver for ever", head + "waivers: [{criterion: data-checks, by: a, reason: b}]\n", `expires: "" is no date`},
		{"a date that is none", head + "waivers: [{criterion: data-checks, by: a, reason: b, expires: \"2026-02-30\"}]\n", `expires: "2026-02-30" is no date`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := ParseCriteria([]byte(tt.text))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("the error is %v, want %q in it", err, tt.want)
			}
		})
	}
}

func TestMistakesInEvidence(t *testing.T) {
	const experiment = "apiVersion: slicewright.dev/v1alpha1\nkind: ExperimentReport\nname: a\nstarted: 2026-05-01T00:00:00Z\nfinished: 2026-05-01T01:00:00Z\nkubernetes: v1\nconsumer: {name: c}\nchecks: [{name: x, result: passed, evidence: [y]}]\n"
	if _, err := ParseExperiment([]byte(experiment)); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ name, old, new string }{
		{"another version", "v1alpha1", "v9"},
		{"another kind", "ExperimentReport", "Report"},
		{"an unknown result", "passed", "good"},
		{"an unknown field", "result", "outcome"},
		{"an end before the start", "finished: 2026-05", "finished: 2026-04"},
	} {
		if _, err := ParseExperiment([]byte(strings.Replace(experiment, tt.old, tt.new, 1))); err == nil {
			t.Errorf("%s: no error", tt.name)
		}
	}
	if _, err := ParseShadow([]byte(experiment)); err == nil {
		t.Error("an experiment is taken for a comparison")
	}
}

func FuzzParseCriteria(f *testing.F) {
	f.Add(defaults)
	f.Add([]byte(head + "waivers: [{criterion: data-checks, by: a, reason: b, expires: \"2026-06-01\"}]\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := ParseCriteria(data)
		if err != nil {
			return
		}
		// Whatever it is, without facts nothing is met.
		for _, r := range Evaluate(c, &Facts{}, now).Criteria {
			if r.Status == Met {
				t.Errorf("%s is met without facts", r.Name)
			}
		}
	})
}
