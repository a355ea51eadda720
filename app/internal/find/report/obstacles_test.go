package report

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"sigs.k8s.io/yaml"

	"github.com/slicewright/slicewright/app/internal/find/evidence"
	"github.com/slicewright/slicewright/app/internal/find/registry"
)

func withObstacles() *registry.Registry {
	seen := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	r := registry.Build(nil, nil)
	r.Obstacles = []evidence.Obstacle{
		{
			Code: evidence.FedByMirroring, Object: "Service/shop/db", Locator: "Service/shop/db", Message: "It is fed by mirroring.", Advice: "Publish slices.",
			Writers: []evidence.ObstacleWriter{
				{Name: "db-publisher", Workload: evidence.Workload{Kind: "Deployment", Namespace: "shop", Name: "pub"}, ServiceAccount: "shop/w", By: "managedFields", LastSeen: &seen},
				{Name: "db", By: "nothing names who"},
			},
		},
		{Code: evidence.DNSReadsEndpoints, Object: "Deployment/kube-system/dns", Locator: "in.yaml:3:1", Message: "It is old.", Advice: "Update it.", Source: "https://example.com/notes"},
	}
	return r
}

func TestObstaclesAreInEveryFormatForPeople(t *testing.T) {
	for format, want := range map[string][]string{
		"table": {
			"In the way on the cluster\n  fed-by-mirroring: It is fed by mirroring.\n",
			"    written by db-publisher in Deployment shop/pub as shop/w (managedFields, 2026-05-01 12:00:00)\n    written by db (nothing names who)\n    Publish slices.\n",
			"  dns-reads-endpoints: It is old.\n    Update it.\n    see https://example.com/notes\n",
		},
		"markdown": {"## In the way on the cluster\n", `- [ ] Publish slices.`},
		"html":     {"<h2>In the way on the cluster</h2>", "Written by db-publisher in Deployment shop/pub as shop/w", "<code>in.yaml:3:1</code>"},
	} {
		text := render(t, withObstacles(), format, Options{})
		for _, w := range want {
			if !strings.Contains(text, w) {
				t.Errorf("%s does not hold %q:\n%s", format, w, text)
			}
		}
		if text := render(t, registry.Build(nil, nil), format, Options{}); strings.Contains(text, "In the way") {
			t.Errorf("%s has a part for nothing", format)
		}
	}
}

func TestObstaclesFollowTheSchema(t *testing.T) {
	schema, err := jsonschema.NewCompiler().Compile("../../../../docs/schemas/consumerregistry.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	text := render(t, withObstacles(), "json", Options{})
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(doc); err != nil {
		t.Error(err)
	}
	// A registry file keeps them.
	var back registry.Registry
	if err := yaml.UnmarshalStrict([]byte(render(t, withObstacles(), "yaml", Options{})), &back); err != nil || len(back.Obstacles) != 2 {
		t.Errorf("%v, %d obstacles", err, len(back.Obstacles))
	}
}

func TestAThousandObstaclesAreCounted(t *testing.T) {
	r := registry.Build(nil, nil)
	for i := range 1000 {
		r.Obstacles = append(r.Obstacles, evidence.Obstacle{Code: evidence.FedByMirroring, Message: fmt.Sprintf("Service %d.", i)})
	}
	text := render(t, r, "table", Options{})
	if strings.Count(text, "fed-by-mirroring: Service ") != maxObstacles || !strings.Contains(text, "fed-by-mirroring: 980 more; -o json lists them\n") {
		t.Errorf("%s", text)
	}
}

func TestObstaclesAreAStrangersText(t *testing.T) {
	const bad = "\x1b[31m<script>x</script>|`*\u202e"
	r := withObstacles()
	for i := range r.Obstacles {
		o := &r.Obstacles[i]
		o.Message += bad
		o.Advice += bad
		o.Locator += bad
		o.Source += bad
		for j := range o.Writers {
			o.Writers[j].Name += bad
			o.Writers[j].Workload.Name += bad
			o.Writers[j].ServiceAccount += bad
		}
	}
	for _, format := range []string{"table", "markdown", "html"} {
		text := render(t, r, format, Options{})
		if strings.ContainsAny(text, "\x1b\u202e") || format != "table" && strings.Contains(text, "<script>") {
			t.Errorf("%s lets a stranger's text act:\n%s", format, text)
		}
	}
}
