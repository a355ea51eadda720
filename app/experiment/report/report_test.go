package report

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

func full() *Experiment {
	at := time.Date(2026, 5, 1, 10, 0, 0, 0, time.UTC)
	return &Experiment{
		APIVersion: APIVersion, Kind: Kind, Name: "stop", Started: at, Finished: at.Add(time.Minute),
		Kubernetes: "v1.37.2", Controllers: "*,-endpoints-controller", Consumer: Consumer{Name: "router", Image: "router:2", Digest: "sha256:1"},
		Checks: []Check{
			{Name: "consumer-followed", Result: Passed, Evidence: []string{"All 240 answered."}},
			{Name: "way-back", Result: Failed, Evidence: []string{"3 of 240 did not answer."}},
			{Name: "families", Result: NotRun},
		},
	}
}

func TestReportIsReadBackAndFitsItsSchema(t *testing.T) {
	e := full()
	text, err := e.JSON()
	if err != nil {
		t.Fatal(err)
	}
	back, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(e, back); diff != "" {
		t.Errorf("-written +read:\n%s", diff)
	}
	schema, err := jsonschema.NewCompiler().Compile("../../../docs/schemas/experimentreport.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		text string
		fits bool
	}{{string(text), true}, {strings.Replace(string(text), "not-run", "maybe", 1), false}} {
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(c.text))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(value); (err == nil) != c.fits {
			t.Errorf("%v\n%s", err, c.text)
		}
	}
	if got := e.Failed(); len(got) != 1 || got[0] != "way-back" {
		t.Errorf("failed: %v", got)
	}
}

func TestReportThatIsNotUnderstoodIsAnError(t *testing.T) {
	text, err := full().JSON()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ old, new, want string }{
		{`v1alpha1`, `v9`, "not slicewright.dev/v1alpha1"},
		{`ExperimentReport`, `Report`, "not slicewright.dev"},
		{`"name": "stop"`, `"name": ""`, "needs a name"},
		{`"passed"`, `"fine"`, "checks[0]"},
		{`"kubernetes"`, `"cubernetes"`, "unknown field"},
		{`"2026-05-01T10:01:00Z"`, `"2026-05-01T09:00:00Z"`, "start and end"},
	} {
		_, err := Parse([]byte(strings.Replace(string(text), c.old, c.new, 1)))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s -> %s: %v, want %q", c.old, c.new, err, c.want)
		}
	}
}

// The report that docs/experiment.md shows was written by the lab.
func TestTheReportInTheDocumentationFitsAndPassed(t *testing.T) {
	text, err := os.ReadFile("../../../docs/experiment-report.json")
	if err != nil {
		t.Fatal(err)
	}
	e, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	schema, err := jsonschema.NewCompiler().Compile("../../../docs/schemas/experimentreport.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(value); err != nil {
		t.Error(err)
	}
	for _, c := range e.Checks {
		if c.Result != Passed || len(c.Evidence) == 0 {
			t.Errorf("%s: %s, %v", c.Name, c.Result, c.Evidence)
		}
	}
	if len(e.Checks) < 18 {
		t.Errorf("%d checks", len(e.Checks))
	}
}
