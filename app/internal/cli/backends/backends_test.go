package backends

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slicewright/slicewright/app/internal/backendreport"
	"github.com/slicewright/slicewright/app/internal/cli/clitest"
	"github.com/slicewright/slicewright/app/internal/cli/command"
	"github.com/slicewright/slicewright/internal/slicetest"
)

const testdata = clitest.ProjectFolder + "endpointset/testdata/"

// reportOf runs `backends -o json` and checks the answer against its schema.
func reportOf(t *testing.T, stdin string, args ...string) backendreport.Report {
	t.Helper()
	out, errs, code := run(t, stdin, append([]string{"backends", "-o", "json"}, args...)...)
	if code != command.ExitHolds {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	clitest.CheckSchema(t, "backendreport", out)
	var r backendreport.Report
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatal(err)
	}
	return r
}

// Every row of the table of cases, replayed as a recorded watch.
func TestBackendsOfEveryCase(t *testing.T) {
	cases, err := slicetest.Load(testdata + "cases.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		if c.At.Topology == "zone" && c.At.Zone == "" || c.At.Topology == "node" && c.At.Node == "" {
			continue // the command refuses it: TestBackendsRefuses
		}
		t.Run(c.Name, func(t *testing.T) {
			args := []string{"--events", "-"}
			for flag, value := range map[string]string{
				"--policy": c.Policy, "--zone": c.At.Zone, "--node": c.At.Node, "--topology": c.At.Topology, "--topology-mode": c.At.Mode,
			} {
				if value != "" {
					args = append(args, flag, value)
				}
			}
			wants := map[string]slicetest.Want{"web": c.Want}
			for name, want := range c.WantServices {
				wants[name] = want
			}
			for name, want := range wants {
				r := reportOf(t, stream(t, &c), append(args, slicetest.Namespace+"/"+name)...)
				if len(r.Services) != 1 {
					t.Fatalf("%d Services", len(r.Services))
				}
				checkService(t, r.Services[0], want)
			}
		})
	}
}

// stream writes a case's steps as kubectl would record them.
func stream(t *testing.T, c *slicetest.Case) string {
	t.Helper()
	events, err := c.Events()
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	enc := json.NewEncoder(&b)
	for _, e := range events {
		var doc any
		switch e.Kind {
		case slicetest.Put:
			doc = map[string]any{"type": "MODIFIED", "object": e.Slice}
		case slicetest.Delete:
			doc = map[string]any{"type": "DELETED", "object": e.Slice}
		default:
			doc = map[string]any{"apiVersion": "v1", "kind": "List", "items": e.All}
		}
		if err := enc.Encode(doc); err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

func checkService(t *testing.T, s backendreport.Service, want slicetest.Want) {
	t.Helper()
	lines := func(backends []backendreport.Backend) []string {
		out := []string{}
		for _, b := range backends {
			out = append(out, b.Port+" "+b.Endpoint)
		}
		return out
	}
	if diff := cmp.Diff(want.Active, lines(s.Active)); diff != "" && want.Active != nil {
		t.Errorf("active (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want.Draining, lines(s.Draining)); diff != "" && want.Draining != nil {
		t.Errorf("draining (-want +got):\n%s", diff)
	}
	if s.Fallback != want.Fallback {
		t.Errorf("fallback is %v", s.Fallback)
	}
	for _, code := range want.Diagnostics {
		found := false
		for _, d := range s.Diagnostics {
			found = found || string(d.Code) == code
		}
		if !found {
			t.Errorf("no diagnostic %s among %v", code, s.Diagnostics)
		}
	}
}

// The recording of a real control plane.
func TestBackendsOfARecordedWatch(t *testing.T) {
	out, errs, code := run(t, "", "backends", "vector-lab/reports", "--events", testdata+"vector-watch.jsonl", "-o", "hostport")
	if code != command.ExitHolds {
		t.Fatal(errs)
	}
	endpoints := strings.Fields(out)
	moved := 0
	for _, e := range endpoints {
		if strings.HasPrefix(e, "10.43.0.") {
			moved++
		}
	}
	if len(endpoints) != 237 || moved != 24 {
		t.Errorf("%d active, %d of them in 10.43.0.0/24; want 237 and 24", len(endpoints), moved)
	}
	s := reportOf(t, "", "--events", testdata+"vector-watch.jsonl", "reports").Services[0]
	if len(s.Draining) != 1 || s.Draining[0].Endpoint != "10.42.0.40:8080" {
		t.Errorf("draining is %v", s.Draining)
	}
	listed := reportOf(t, "", "-f", testdata+"vector-endpointslices.json").Services[0]
	if diff := cmp.Diff(bare(listed.Active), bare(s.Active)); diff != "" {
		t.Errorf("the listed slices and the replayed watch differ (-listed +replayed):\n%s", diff)
	}
}

func bare(backends []backendreport.Backend) []string {
	var out []string
	for _, b := range backends {
		out = append(out, b.Endpoint+" "+b.Slice)
	}
	return out
}

const oneSlice = `apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata:
  namespace: shop
  name: cart-a
  labels: {kubernetes.io/service-name: cart}
addressType: IPv4
ports: [{name: http, port: 8080}]
endpoints:
- addresses: [10.0.0.1]
  zone: "\e[31mred"
- addresses: [10.0.0.2]
  conditions: {ready: false}
- addresses: [10.0.0.3]
  conditions: {ready: false, serving: true, terminating: true}
- addresses: [127.0.0.1]
`

func TestExplainSaysWhyAnAddressIsNotThere(t *testing.T) {
	out, errs, code := run(t, oneSlice, "backends", "cart", "-f", "-", "--explain")
	if code != command.ExitHolds {
		t.Fatal(errs)
	}
	for _, want := range []string{
		"shop/cart: 1 active, 1 draining, 2 excluded under policy ready",
		"10.0.0.1:8080    active     S9",
		"10.0.0.2:8080    excluded   S9       not ready",
		"10.0.0.3:8080    draining   S12      terminating but still serving",
		"127.0.0.1:8080   excluded   accept   its address is outside",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in:\n%s", want, out)
		}
	}
}

// A zone may hold what a terminal would act on.
func TestNothingInASliceReachesTheTerminal(t *testing.T) {
	for _, format := range []string{"table", "wide"} {
		out, _, _ := run(t, oneSlice, "backends", "-f", "-", "-o", format)
		if strings.Contains(out, "\x1b") || !strings.Contains(out, "[31mred") {
			t.Errorf("%s:\n%q", format, out)
		}
	}
}

func TestWatchShowsWhatChanges(t *testing.T) {
	cases, err := slicetest.Load(testdata + "cases.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var c slicetest.Case
	for _, candidate := range cases {
		if candidate.Name == "update-of-one-slice-keeps-the-others" {
			c = candidate
		}
	}
	out, errs, code := run(t, stream(t, &c), "backends", "--events", "-", "--watch")
	want := `+ t/web http 10.0.0.1:8080 active - - - -
+ t/web http 10.0.0.2:8080 active - - - -
+ t/web http 10.0.0.3:8080 active - - - -
- t/web http 10.0.0.1:8080 active - - - -
`
	if code != command.ExitHolds || out != want {
		t.Errorf("exit code %d, %s\n%s", code, errs, cmp.Diff(want, out))
	}
}

// Bad input: the object is named, the code is the contract's, and nothing is
// printed as if it were an answer.
func TestBackendsRefuses(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		name, stdin string
		args        []string
		code        int
		want        string
	}{
		{"a file that is no slice", "kind: ConfigMap\napiVersion: v1\n", []string{"-f", "-"}, command.ExitFailed, `stdin: no EndpointSlice in it, but 1 × "v1 ConfigMap"`},
		{"a broken document in the middle", oneSlice + "---\na: b: c\n---\n" + oneSlice, []string{"-f", "-"}, command.ExitFailed, "stdin: document 2, which begins in line 17: yaml:"},
		{"a slice with a wrong type in it", strings.Replace(oneSlice, "port: 8080", "port: eighty", 1), []string{"-f", "-"}, command.ExitFailed, "stdin: document 1"},
		{"an old version", strings.Replace(oneSlice, "io/v1", "io/v1beta1", 1), []string{"-f", "-"}, command.ExitFailed, `an EndpointSlice of "discovery.k8s.io/v1beta1"`},
		{"an incomplete list", "apiVersion: v1\nkind: List\nmetadata: {continue: abc}\nitems: []\n", []string{"-f", "-"}, command.ExitUnknown, "stdin: document 1, which begins in line 1: the List is an incomplete list"},
		{"an object without kind beside a slice", oneSlice + "---\nmetadata: {name: b}\n", []string{"-f", "-"}, command.ExitUnknown, "stdin: document 2, which begins in line 17: it is no Kubernetes object"},
		{"an empty folder", "", []string{"-f", dir}, command.ExitFailed, "no EndpointSlice in its 0 "},
		{"a file that is not there", "", []string{"-f", dir + "/none"}, command.ExitFailed, "none: no such file"},
		{"an unknown Service", oneSlice, []string{"shop/basket", "-f", "-"}, command.ExitFailed, "no EndpointSlice belongs to Service shop/basket in -"},
		{"an unknown policy", oneSlice, []string{"-f", "-", "--policy", "redy"}, command.ExitUsage, `unknown policy "redy": use one of ready, kube-proxy`},
		{"an unknown output", oneSlice, []string{"-f", "-", "-o", "xml"}, command.ExitUsage, `unknown output "xml"`},
		{"a topology without a place", oneSlice, []string{"-f", "-", "--topology", "zone"}, command.ExitUsage, "give its zone"},
		{"no Service name", oneSlice, []string{"a/b/c", "-f", "-"}, command.ExitUsage, `"a/b/c" is no Service`},
		{"two sources", oneSlice, []string{"-f", "-", "--events", "-"}, command.ExitUsage, "exclude each other"},
		{"a cut recording", `{"type":"ADDED","object":{"kind":"End`, []string{"--events", "-"}, command.ExitFailed, "event 1: the stream ends in the middle of it"},
		{"a recording without types", `{"kind":"EndpointSlice","metadata":{"name":"a"}}`, []string{"--events", "-"}, command.ExitFailed, "--output-watch-events"},
		{"a recording of something else", `{"type":"ADDED","object":{"apiVersion":"v1","kind":"Pod"}}`, []string{"--events", "-"}, command.ExitFailed, `it is about a "v1 Pod"`},
		{"a recording that is no JSON", "apiVersion: v1", []string{"--events", "-"}, command.ExitFailed, "event 1, at byte"},
		{"an unknown flag", "", []string{"--evnts", "-"}, command.ExitUsage, "unknown flag: --evnts"},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, errs, code := run(t, c.stdin, append([]string{"backends"}, c.args...)...)
			if code != c.code || out != "" || !strings.Contains(errs, c.want) {
				t.Errorf("exit code %d (want %d), stdout %q, stderr:\n%s\nwant: %s", code, c.code, out, errs, c.want)
			}
		})
	}
}
