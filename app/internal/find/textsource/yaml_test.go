package textsource

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/slicewright/slicewright/app/internal/find/textsource/shell"
)

// Whatever the indentation, the quotes and the nesting, a place in a text in a
// text is a place in the file.
func TestPlacesInTextsInTexts(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"a literal block", "data:\n  a.sh: |\n    set -e\n\n    kubectl get ep\n", "a.yaml:5:5"},
		{"a literal block with its own indentation", "data:\n  a.sh: |2\n      kubectl get ep\n", "a.yaml:3:7"},
		{"a folded block", "run: >-\n  kubectl get pods &&\n  kubectl get ep\n", "a.yaml:3:3"},
		{"a quoted string", "run: 'true; kubectl get ep'\n", "a.yaml:1:13"},
		{"an escaped string", `{"run": "true;\tkubectl get ep"}`, "a.yaml:1:17"},
		{"JSON with escaped slashes", `{"a": "x\/y", "url": "https:\/\/kubernetes.default\/api\/v1\/namespaces\/web\/endpoints"}`, "a.yaml:1:22"},
		{"a plain value over two lines", "run: true;\n  kubectl get ep\n", "a.yaml:2:3"},
		{"a block in a block", "data:\n  v.yaml: |\n    data:\n      a.sh: |\n        kubectl get ep\n", "a.yaml:5:9"},
		{"Windows line ends", "data:\r\n  a.sh: |\r\n    true\r\n    kubectl get ep\r\n", "a.yaml:4:5"},
		{"after other documents", "a: 1\n---\nb: 2\n--- # c\nrun: kubectl get ep\n", "a.yaml:5:6"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			findings, cov := Scan(context.Background(), tree(t, map[string]string{"a.yaml": tt.text}), Options{})
			if diff := cmp.Diff([]string{tt.want}, locators(findings)); diff != "" {
				t.Error(diff, problems(cov))
			}
		})
	}
}

// What the parser refuses still gives its findings, and a problem.
func TestBrokenYAMLIsReadByLines(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"a tab", "apiVersion: v1\nkind: Endpoints\nmetadata:\n\tname: x\n", "a.yaml:2:1"},
		{"an unclosed quote", "a: \"x\nitems:\n- apiVersion: v1\n  kind: Endpoints\n  metadata:\n    name: y\n", "a.yaml:4:3"},
		{"a scrape configuration", "b: [\nscrape_configs:\n- job_name: a\n  kubernetes_sd_configs:\n  - role: endpoints\n", "a.yaml:5:5"},
		{"a list no further in than its key", "b: ]\ndata:\n  p.yml: |\n    kubernetes_sd_configs:\n    - role: endpoints\n", "a.yaml:5:7"},
		{"a comment", "b: ]\n# kind: Endpoints\n# apiVersion: v1\n", ""},
		{"another group", "b: ]\nc:\n  apiVersion: x.io/v1\n  kind: Endpoints\n  metadata: {}\n", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			findings, cov := Scan(context.Background(), tree(t, map[string]string{"a.yaml": tt.text}), Options{})
			if got := strings.Join(locators(findings), " "); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			if !strings.Contains(problems(cov), "YAML not understood") {
				t.Errorf("no problem: %q", problems(cov))
			}
		})
	}
}

// Aliases that would unfold to billions of nodes are not unfolded, and other
// hostile texts cost what their length costs. The bound is wide: what it
// catches would take hours.
func TestHostileTexts(t *testing.T) {
	lol := "a00: &a00 [endpoints]\n"
	for i := range 40 {
		lol += strings.ReplaceAll(strings.ReplaceAll("aN: &aN [*aM,*aM,*aM,*aM,*aM,*aM,*aM,*aM,*aM]\n", "N", itoa(i+1)), "M", itoa(i))
	}
	many := func(s string) string { return strings.Repeat(s, 60_000/len(s)*10) }
	for name, text := range map[string]string{
		"billion.yaml":   lol,
		"deep.yaml":      "endpoints: " + many("["),
		"deeper.json":    many(`{"endpoints":`),
		"items.yaml":     "endpoints:\n" + many("- "),
		"oneline.json":   "[" + many(`{"run":"kubectl get ep"},`) + "1]",
		"actions.yaml":   "endpoints\n" + many("{{\n"),
		"actions2.yaml":  "endpoints " + many("{{ \""),
		"jinja.yaml.j2":  "endpoints\n" + many("{%"),
		"a.sh":           many("kubectl get ep;"),
		"b.sh":           "endpoints\n" + many("$(("),
		"c.sh":           "ep " + many("${a:-"),
		"d.sh":           "ep " + many("((#)\n"),
		"e.sh":           "ep " + strings.Repeat("a[#]\n", shell.MaxBrackets-1),
		"a.py":           many("x = 'endpoints' + y\n"),
		"b.py":           many("f('kubectl get ep',"),
		"c.py":           many("getattr(a, f'list_namespaced_{b"),
		"a.rs":           "use k8s_openapi::api::core::v1::Endpoints;\n" + many("let a = Api::<Endpoints>::all(c);\n"),
		"b.rs":           "use k8s_openapi::" + many("{endpoints::{"),
		"a.js":           many("`${`endpoints"),
		"a.tf":           many("endpoints = <<E\n"),
		"b.tf":           many("resource \"helm_release\" \"endpoints\" {"),
		"Makefile":       many("$(kubectl ep\\\n"),
		"a.properties":   many("endpoints ignite-kubernetes-config "),
		"block.yaml":     "endpoints: |\n" + many("  kubectl get ep\n"),
		"broken.yaml":    "endpoints: [\n" + many("  a:\n"),
		"indent.yaml":    "endpoints: ]\n" + staircase(1500),
		"relabel.yaml":   "- [" + many("__meta_kubernetes_endpoint_ready, ") + "]",
		"documents.yaml": many("---\nendpoints: a\n"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			start := time.Now()
			Scan(context.Background(), tree(t, map[string]string{name: text}), Options{Workers: 1})
			if took := time.Since(start); took > time.Minute {
				t.Errorf("%d bytes took %v", len(text), took)
			}
		})
	}
}

func itoa(i int) string { return string([]byte{'0' + byte(i/10), '0' + byte(i%10)}) }

// staircase is keys each one column further in.
func staircase(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat(" ", i) + "a:\n")
	}
	return b.String()
}
