package endpointset_test

import (
	"bufio"
	"encoding/json"
	"net/netip"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	discoveryv1 "k8s.io/api/discovery/v1"

	"github.com/slicewright/slicewright/endpointset"
	"github.com/slicewright/slicewright/internal/slicetest"
)

// Every row of the table of public bug reports and rules.
func TestCases(t *testing.T) {
	cases, err := slicetest.Load("testdata/cases.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if len(cases) < 40 {
		t.Fatalf("only %d cases in the table", len(cases))
	}
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			events, err := c.Events()
			if err != nil {
				t.Fatal(err)
			}
			ix := endpointset.NewIndex(endpointset.Options{})
			for _, e := range events {
				apply(ix, e)
			}
			check(t, ix, &c, "web", c.Want)
			for service, want := range c.WantServices {
				check(t, ix, &c, service, want)
			}
		})
	}
}

func apply(ix *endpointset.Index, e slicetest.Event) []endpointset.Change {
	switch e.Kind {
	case slicetest.Put:
		return ix.Apply(ix.Parse(e.Slice))
	case slicetest.Delete:
		return ix.Delete(endpointset.SliceKey{Namespace: e.Slice.Namespace, Name: e.Slice.Name})
	default:
		return ix.Replace("", parsed(ix, e.All))
	}
}

// parsed parses every object of a list.
func parsed(ix *endpointset.Index, all []*discoveryv1.EndpointSlice) []*endpointset.Slice {
	list := make([]*endpointset.Slice, 0, len(all))
	for _, es := range all {
		list = append(list, ix.Parse(es))
	}
	return list
}

func check(t *testing.T, ix *endpointset.Index, c *slicetest.Case, service string, want slicetest.Want) {
	t.Helper()
	policy, err := endpointset.ParsePolicy(c.Policy)
	if err != nil {
		t.Fatal(err)
	}
	at := endpointset.Location{
		Zone: c.At.Zone, Node: c.At.Node,
		Topology: endpointset.Topology(c.At.Topology), Mode: endpointset.Mode(c.At.Mode),
	}
	sel := ix.Service(endpointset.ServiceKey{Namespace: slicetest.Namespace, Name: service}).Select(endpointset.Query{Policy: policy, Location: at})
	if diff := cmp.Diff(want.Active, lines(sel.Active)); diff != "" && want.Active != nil {
		t.Errorf("%s: active (-want +got):\n%s", service, diff)
	}
	if diff := cmp.Diff(want.Draining, lines(sel.Draining)); diff != "" && want.Draining != nil {
		t.Errorf("%s: draining (-want +got):\n%s", service, diff)
	}
	if sel.Fallback != want.Fallback {
		t.Errorf("%s: fallback %v, want %v", service, sel.Fallback, want.Fallback)
	}
	for _, code := range want.Diagnostics {
		if !hasCode(sel.Diagnostics, code) {
			t.Errorf("%s: no diagnostic %q among %v", service, code, sel.Diagnostics)
		}
	}
}

func lines(backends []endpointset.Backend) []string {
	out := []string{}
	for _, b := range backends {
		out = append(out, b.PortName+" "+b.Endpoint())
	}
	return out
}

func hasCode(found []endpointset.Diagnostic, code string) bool {
	for _, d := range found {
		if string(d.Code) == code {
			return true
		}
	}
	return false
}

// The watch stream of a real control plane, from before the first Pod.
func TestRecordedWatch(t *testing.T) {
	file, err := os.Open("testdata/vector-watch.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	ix := endpointset.NewIndex(endpointset.Options{})
	scanner := bufio.NewScanner(file)
	scanner.Buffer(nil, 1<<20)
	events := 0
	for scanner.Scan() {
		var event struct {
			Type   string                    `json:"type"`
			Object discoveryv1.EndpointSlice `json:"object"`
		}
		if err := json.Unmarshal(scanner.Bytes(), &event); err != nil {
			t.Fatal(err)
		}
		switch event.Type {
		case "ADDED", "MODIFIED":
			ix.Apply(ix.Parse(&event.Object))
		case "DELETED":
			ix.Delete(endpointset.SliceKey{Namespace: event.Object.Namespace, Name: event.Object.Name})
		}
		events++
	}
	if err := scanner.Err(); err != nil || events != 74 {
		t.Fatalf("read %d events: %v", events, err)
	}

	sel := ix.Service(endpointset.ServiceKey{Namespace: "vector-lab", Name: "reports"}).Select(endpointset.Query{})
	replaced := 0
	for _, b := range sel.Active {
		if netip.MustParsePrefix("10.43.0.0/24").Contains(b.Addr) {
			replaced++
		}
	}
	if len(sel.Active) != 237 || replaced != 24 {
		t.Errorf("%d active, %d of them in 10.43.0.0/24; want 237 and 24", len(sel.Active), replaced)
	}
	if diff := cmp.Diff([]string{"http 10.42.0.40:8080"}, lines(sel.Draining)); diff != "" {
		t.Errorf("draining (-want +got):\n%s", diff)
	}
}
