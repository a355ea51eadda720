package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"sigs.k8s.io/yaml"

	"github.com/slicewright/slicewright/app/internal/find/apimetrics"
	"github.com/slicewright/slicewright/app/internal/find/apimetrics/scrape"
	"github.com/slicewright/slicewright/app/internal/find/audit"
	"github.com/slicewright/slicewright/app/internal/find/evidence"
	"github.com/slicewright/slicewright/app/internal/find/registry"
)

// recorded is the registry of a real log with its metrics and one finding in
// source.
func recorded(t *testing.T) *registry.Registry {
	t.Helper()
	log := audit.Scan(t.Context(), []string{"../audit/testdata/real.jsonl"}, nil, audit.Options{})
	f, err := os.Open("../apimetrics/testdata/real.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	counts, err := scrape.Parse(f)
	if err != nil {
		t.Fatal(err)
	}
	check, cover := counts.Check(&apimetrics.Explained{Requests: log.Totals.Requests, Self: log.Totals.Self, OpenWatches: log.Totals.OpenWatches})
	source := evidence.Finding{
		Subject: evidence.Subject{Application: "upstream-sync", Owner: "@edge"}, Class: evidence.Reader, Confidence: evidence.Likely,
		Verbs: map[string]int{"watch": 1}, Access: []string{"informer"}, Advice: "Use an informer on EndpointSlices.",
		Evidence: []evidence.Evidence{{Source: evidence.SourceGo, Detector: "go/informer", Locator: "cmd/main.go:41:9", Count: 1, Verb: "watch", Excerpt: "factory.Core().V1().Endpoints()"}},
	}
	producer := evidence.Finding{
		Subject: evidence.Subject{Application: "publisher", ServiceAccount: "prod/publisher"}, Class: evidence.Producer, Confidence: evidence.Proven,
		Verbs: map[string]int{"update": 1}, Namespaces: []string{"prod"}, Status: evidence.Acknowledged,
		Evidence: []evidence.Evidence{{Source: evidence.SourceObject, Detector: "object/writer", Locator: "Endpoints/prod/db", Count: 1}},
	}
	r := registry.Build(append(log.Findings, source, producer), []evidence.Coverage{log.Coverage, cover})
	r.CrossCheck = &check
	r.Patches = []registry.RolePatch{{Role: "Role prod/ep-reader", For: []string{"prod/upstream-sync"}, YAML: "- verbs: [get]\n", JSONPatch: json.RawMessage(`[{"op":"add","path":"/rules/-"}]`)}}
	return r
}

func render(t *testing.T, r *registry.Registry, format string, opts Options) string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, r, format, opts); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestJSONAndYAMLFollowTheSchema(t *testing.T) {
	schema, err := jsonschema.NewCompiler().Compile("../../../../docs/schemas/consumerregistry.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	r := recorded(t)
	gone := r.Entries[0]
	gone.Key, gone.Missing, gone.Evidence = "application/gone", true, []evidence.Evidence{}
	r.Entries = append(r.Entries, gone)
	for name, reg := range map[string]*registry.Registry{"a full registry": r, "an empty one": registry.Build(nil, nil)} {
		text := render(t, reg, "json", Options{})
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(doc); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		fromYAML, err := yaml.YAMLToJSON([]byte(render(t, reg, "yaml", Options{})))
		if err != nil {
			t.Fatal(err)
		}
		var a, b any
		if json.Unmarshal([]byte(text), &a) != nil || json.Unmarshal(fromYAML, &b) != nil {
			t.Fatal("no JSON")
		}
		if d := cmp.Diff(a, b); d != "" {
			t.Errorf("%s: YAML says something else\n%s", name, d)
		}
	}
	// The schema must be able to refuse.
	bad := strings.Replace(render(t, r, "json", Options{}), `"confidence": "proven"`, `"confidence": "certain"`, 1)
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(bad))
	if err != nil {
		t.Fatal(err)
	}
	if schema.Validate(doc) == nil {
		t.Error("the schema takes an unknown confidence")
	}
}

func TestTheTableAnswersWhoAndWhatWasNotSeen(t *testing.T) {
	got := render(t, recorded(t), "table", Options{})
	for _, want := range []string{
		"upstream-sync  prod/upstream-sync", "list:2,watch:2", "refused:1", "Tools in a person's hand", "Expected: the control plane",
		"2 live watches, the audit log explains 2.", "audit: 173 read, 0 skipped", "@edge", "audit,go", "acknowledged",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	wide := render(t, recorded(t), "wide", Options{})
	for _, want := range []string{"upstream-sync/v0.9.1", "cmd/main.go:41:9", "RoleBinding/prod/upstream-sync"} {
		if !strings.Contains(wide, want) {
			t.Errorf("no %q in the wide table\n%s", want, wide)
		}
	}
}

func TestBroadEntriesAreCountedUntilTheyAreAskedFor(t *testing.T) {
	r := registry.Build([]evidence.Finding{{
		Subject: evidence.Subject{Application: "admin-tool", ServiceAccount: "ops/admin-tool"}, Class: evidence.Reader, Confidence: evidence.Broad,
		Evidence: []evidence.Evidence{{Source: evidence.SourceRBAC, Detector: "rbac/wildcard", Locator: "ClusterRole/cluster-admin", Count: 1}},
	}}, nil)
	for _, format := range []string{"table", "markdown", "html", "sarif"} {
		if strings.Contains(render(t, r, format, Options{}), "admin-tool") {
			t.Errorf("%s shows it without being asked", format)
		}
		if !strings.Contains(render(t, r, format, Options{Broad: true}), "admin-tool") {
			t.Errorf("%s does not show it when asked", format)
		}
	}
	if !strings.Contains(render(t, r, "json", Options{}), "admin-tool") {
		t.Error("JSON is for programs and has everything")
	}
}

// testdata/sarif-schema-2.1.0.json is the schema of OASIS, Errata 01.
func TestSARIFFollowsItsSchema(t *testing.T) {
	schema, err := jsonschema.NewCompiler().Compile("testdata/sarif-schema-2.1.0.json")
	if err != nil {
		t.Fatal(err)
	}
	r := recorded(t)
	for name, text := range map[string]string{
		"a full registry": render(t, r, "sarif", Options{Version: "v1.2.3", Baseline: r, Broad: true}),
		"no baseline":     render(t, r, "sarif", Options{}),
		"an empty one":    render(t, registry.Build(nil, nil), "sarif", Options{}),
	} {
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(doc); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	// The schema must be able to refuse.
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(strings.Replace(render(t, r, "sarif", Options{}), `"level": "error"`, `"level": "bad"`, 1)))
	if err != nil {
		t.Fatal(err)
	}
	if schema.Validate(doc) == nil {
		t.Error("the schema takes an unknown level")
	}
}

func TestSARIFKeepsFilesAndClusterApart(t *testing.T) {
	r := recorded(t)
	var report sarifLog
	if err := json.Unmarshal([]byte(render(t, r, "sarif", Options{Version: "v1.2.3", Baseline: r})), &report); err != nil {
		t.Fatal(err)
	}
	if len(report.Runs) != 2 {
		t.Fatalf("%d runs, want one for files and one for the cluster", len(report.Runs))
	}
	source, cluster := report.Runs[0], report.Runs[1]
	want := []sarifRunResult{{
		RuleID: "go/informer", Level: "error",
		Message: sarifText{"upstream-sync (reader, proven) watch: factory.Core().V1().Endpoints(). List and watch discovery.k8s.io/v1 EndpointSlices by the label kubernetes.io/service-name, and join all slices of a Service."},
		Locations: []sarifLocation{{Physical: &sarifPhysical{
			Artifact: sarifArtifact{URI: "cmd/main.go", URIBaseID: "SRCROOT"}, Region: &sarifRegion{StartLine: 41, StartColumn: 9},
		}}},
		PartialFingerprints: map[string]string{"slicewright/v1": "b14d6c606d34a111c1f2c93e84609747"},
		BaselineState:       "unchanged",
	}}
	if d := cmp.Diff(want, source.Results); d != "" {
		t.Errorf("in files (-want +got):\n%s", d)
	}
	if d := cmp.Diff("1.2.3", source.Tool.Driver.SemanticVersion); d != "" {
		t.Error(d)
	}
	suppressed, rules := 0, make(map[string]bool)
	for _, result := range cluster.Results {
		if result.PartialFingerprints["slicewright/v1"] == "" {
			t.Error("a result without a fingerprint")
		}
		if result.BaselineState != "unchanged" {
			t.Errorf("state %s of a result that is in the baseline", result.BaselineState)
		}
		suppressed += len(result.Suppressions)
		rules[result.RuleID] = true
		if rule := cluster.Tool.Driver.Rules[result.RuleIndex]; rule.ID != result.RuleID {
			t.Errorf("a result of %s refers to the rule %s", result.RuleID, rule.ID)
		}
	}
	if suppressed != 1 {
		t.Errorf("%d suppressions, want that of the acknowledged producer", suppressed)
	}
	if len(cluster.Tool.Driver.Rules) != len(rules) || !rules["audit/request"] || !rules["object/writer"] {
		t.Errorf("rules %v of %d in the driver, want one a detector", rules, len(cluster.Tool.Driver.Rules))
	}
}

func TestAFingerprintDoesNotMoveWithTheLine(t *testing.T) {
	e := &registry.Entry{Key: "application/a"}
	at := func(locator string) string {
		return fingerprint(e, evidence.Evidence{Source: evidence.SourceGo, Detector: "go/x", Locator: locator, Excerpt: "call()"})
	}
	if at("a.go:1:1") != at("a.go:99:5") || at("a.go:1:1") == at("b.go:1:1") {
		t.Error("the line is part of the fingerprint, or the file is not")
	}
}

// Every name in a registry can come from outside.
func TestHostileTextStaysText(t *testing.T) {
	evil := "=cmd|'/c calc'!A1 <script>alert(1)</script> \x1b[2J\u202e [x](javascript:a) | `b` \n# c"
	r := registry.Build([]evidence.Finding{{
		Subject: evidence.Subject{Application: evil, ServiceAccount: "ns/" + evil, UserAgent: "x/<b>"},
		Class:   evidence.Reader, Confidence: evidence.Proven, Verbs: map[string]int{"get": 1}, Namespaces: []string{evil}, Notes: []string{evil},
		Evidence: []evidence.Evidence{{Source: evidence.SourceAudit, Detector: "audit/request", Locator: evil, Count: 1, Excerpt: evil}},
	}}, []evidence.Coverage{{Source: evidence.SourceAudit, Read: 1, Problems: []evidence.Problem{{Locator: evil, Message: evil}}}})
	for _, format := range []string{"table", "wide", "markdown", "html"} {
		got := render(t, r, format, Options{})
		if strings.ContainsAny(got, "\x1b\u202e") {
			t.Errorf("%s lets control characters through", format)
		}
		switch format {
		case "html":
			if strings.Contains(got, "<script>") {
				t.Error("HTML lets a script through")
			}
		case "markdown":
			if strings.Contains(got, "<script>") || strings.Contains(got, "[x](") || regexp.MustCompile(`(?m)^# c`).MatchString(got) {
				t.Errorf("Markdown lets markup through\n%s", got)
			}
		}
	}
	rows, err := csv.NewReader(strings.NewReader(render(t, r, "csv", Options{}))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows[1:] {
		for _, c := range row {
			if c != "" && strings.ContainsRune("=+-@", rune(c[0])) {
				t.Errorf("CSV lets a formula through: %q", c)
			}
		}
	}
}

func TestHTMLIsOneFileThatLoadsNothing(t *testing.T) {
	got := render(t, recorded(t), "html", Options{})
	if regexp.MustCompile(`(?i)(src|href)\s*=`).MatchString(got) || !strings.Contains(got, "default-src &#39;none&#39;") && !strings.Contains(got, "default-src 'none'") {
		t.Error("the page refers to something outside of itself, or does not forbid it")
	}
	if !strings.Contains(got, "prod/upstream-sync") || !strings.Contains(got, "the audit log explains 2.") {
		t.Error("the page lacks the reader or the cross-check")
	}
}

func TestAnUnknownFormatIsAnError(t *testing.T) {
	if err := Write(&bytes.Buffer{}, registry.Build(nil, nil), "xml", Options{}); err == nil {
		t.Error("xml was written")
	}
}
