package textsource

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/slicewright/slicewright/app/internal/find/evidence"
)

// tree writes files and returns their directory.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, content := range files {
		p := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// locators are where findings are, in their order.
func locators(findings []evidence.Finding) []string {
	var out []string
	for _, f := range findings {
		out = append(out, f.Evidence[0].Locator)
	}
	return out
}

func problems(c evidence.Coverage) string {
	var b strings.Builder
	for _, p := range c.Problems {
		fmt.Fprintf(&b, "%s: %s\n", p.Locator, p.Message)
	}
	return b.String()
}

const oneReader = "from kubernetes import client\nclient.CoreV1Api().list_namespaced_endpoints('web')\n"

func TestALocatorNamesTheCallItself(t *testing.T) {
	root := tree(t, map[string]string{
		"a.py":   "x = 'ä'; v1.list_namespaced_endpoints(ns)\n",
		"b.yaml": "items:\n- apiVersion: v1\n  kind: Endpoints\n  metadata: {name: a}\n",
		"c.sh":   "set -e\n  IPS=$(sudo kubectl get ep)\n",
		"d.yaml": "data:\n  prometheus.yml: |\n    scrape_configs:\n    - kubernetes_sd_configs:\n      - role: endpoints\n",
		"e.json": "{\"apiVersion\": \"v1\", \"kind\": \"Endpoints\", \"metadata\": {}}\n",
	})
	findings, _ := Scan(context.Background(), root, Options{})
	want := []string{
		"a.py:1:14", // columns count bytes, as Go's do
		"b.yaml:3:3",
		"c.sh:2:14",
		"d.yaml:5:9", // in the file, not in the ConfigMap's string
		"e.json:1:22",
	}
	if diff := cmp.Diff(want, locators(findings)); diff != "" {
		t.Error(diff)
	}
}

func TestBadInputCostsItselfAlone(t *testing.T) {
	root := tree(t, map[string]string{
		"good.py":        oneReader,
		"binary.yaml":    "kind: Endpoints\x00\x01\x02",
		"latin1.py":      "# caf\xe9\n" + oneReader,
		"broken.yaml":    "apiVersion: v1\nkind: Endpoints\nmetadata: {name: [\n---\napiVersion: v1\nkind: Endpoints\nmetadata: {name: b}\n",
		"broken.sh":      "if [ ; then\nkubectl get endpoints web\n",
		"huge.py":        oneReader + strings.Repeat("#"+strings.Repeat("x", 1023)+"\n", 300),
		"long-line.js":   "const a = '" + strings.Repeat("x", 1<<20) + "'; api.listNamespacedEndpoints({namespace})\n",
		"empty.yaml":     "",
		"sub/nested.tpl": "{{ lookup \"v1\" \"Endpoints\" \"a\" \"b\"",
	})
	if err := os.Symlink("..", filepath.Join(root, "sub", "loop")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("good.py", filepath.Join(root, "link.py")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/nowhere", filepath.Join(root, "dangling.py")); err != nil {
		t.Fatal(err)
	}
	findings, cov := Scan(context.Background(), root, Options{MaxFileSize: 256 << 10, Workers: 2})
	want := []string{"broken.sh:2:1", "broken.yaml:2:1", "broken.yaml:6:1", "good.py:2:20", "latin1.py:3:20", "sub/nested.tpl:1:4"}
	if diff := cmp.Diff(want, locators(findings)); diff != "" {
		t.Error(diff)
	}
	for _, p := range []string{"latin1.py:1:6: is not UTF-8", "broken.yaml:3:1: YAML not understood", "broken.sh:1:", "huge.py: has words to look for but is", "long-line.js: has words to look for but is"} {
		if !strings.Contains(problems(cov), p) {
			t.Errorf("no problem %q in:\n%s", p, problems(cov))
		}
	}
	notes := strings.Join(cov.Notes, "\n")
	for _, n := range []string{"not read: 1 binary files", "not read: 3 symbolic links"} {
		if !strings.Contains(notes, n) {
			t.Errorf("no note %q in:\n%s", n, notes)
		}
	}
	if cov.Read != 6 || cov.Skipped != 6 {
		t.Errorf("read %d, skipped %d; want 6 and 6", cov.Read, cov.Skipped)
	}
}

func TestALongLineIsRead(t *testing.T) {
	root := tree(t, map[string]string{"a.js": "const a = '" + strings.Repeat("x", 1<<20) + "'; api.listNamespacedEndpoints({namespace})\n"})
	findings, cov := Scan(context.Background(), root, Options{})
	if len(findings) != 1 || len(cov.Problems) != 0 {
		t.Fatalf("findings %v, problems %v", locators(findings), cov.Problems)
	}
	if n := len(findings[0].Evidence[0].Excerpt); n > maxExcerpt {
		t.Errorf("excerpt of %d bytes", n)
	}
}

func TestAMissingDirectoryIsAProblemNotACleanResult(t *testing.T) {
	findings, cov := Scan(context.Background(), filepath.Join(t.TempDir(), "absent"), Options{})
	if len(findings) != 0 || len(cov.Problems) != 1 || cov.Read != 0 {
		t.Errorf("findings %v, coverage %+v", findings, cov)
	}
}

func TestACancelledScanSaysSo(t *testing.T) {
	defer goleak.VerifyNone(t)
	root := tree(t, map[string]string{"a.py": oneReader})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, cov := Scan(ctx, root, Options{})
	if !strings.Contains(problems(cov), "scan cut short") {
		t.Errorf("problems: %q", problems(cov))
	}
}

func TestOneFileAndALinkToATreeAreTrees(t *testing.T) {
	root := tree(t, map[string]string{"a.py": oneReader})
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(root, link); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{link, filepath.Join(root, "a.py")} {
		findings, cov := Scan(context.Background(), dir, Options{})
		if diff := cmp.Diff([]string{"a.py:2:20"}, locators(findings)); diff != "" {
			t.Errorf("%s: %s %+v", dir, diff, cov)
		}
	}
}

func TestScopesAreReadWhenAskedFor(t *testing.T) {
	root := tree(t, map[string]string{
		"own.py":                  oneReader,
		"tests/a.py":              oneReader,
		"test_b.py":               oneReader,
		"dist/c.py":               oneReader,
		"api/core_v1_api.py":      "# Generated by: https://openapi-generator.tech\n" + oneReader,
		"node_modules/x/d.py":     oneReader,
		"web/vendor/e.py":         oneReader,
		".git/f.py":               oneReader,
		"main.go":                 "package main // Endpoints",
		"README.md":               oneReader,
		"package-lock.json":       `{"kind": "Endpoints", "apiVersion": "v1", "metadata": {}}`,
		".github/workflows/a.yml": "run: kubectl get endpoints\n",
	})
	tests := []struct {
		opts Options
		want []string
	}{
		{Options{}, []string{".github/workflows/a.yml:1:6", "own.py:2:20"}},
		{Options{Tests: true}, []string{".github/workflows/a.yml:1:6", "own.py:2:20", "test_b.py:2:20 test", "tests/a.py:2:20 test"}},
		{Options{Generated: true}, []string{".github/workflows/a.yml:1:6", "api/core_v1_api.py:3:20 generated", "dist/c.py:2:20 generated", "own.py:2:20"}},
		{Options{Vendor: true}, []string{".github/workflows/a.yml:1:6", "node_modules/x/d.py:2:20 vendor", "own.py:2:20", "web/vendor/e.py:2:20 vendor"}},
	}
	for _, tt := range tests {
		findings, cov := Scan(context.Background(), root, tt.opts)
		var got []string
		for _, f := range findings {
			got = append(got, strings.TrimSpace(f.Evidence[0].Locator+" "+string(f.Evidence[0].Scope)))
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%+v: %s", tt.opts, diff)
		}
		if notes := strings.Join(cov.Notes, "\n"); !tt.opts.Vendor && !strings.Contains(notes, "not read: 2 vendor directories") {
			t.Errorf("%+v: vendored directories were entered:\n%s", tt.opts, notes)
		}
		if notes := strings.Join(cov.Notes, "\n"); !strings.Contains(notes, ".go 1") || !strings.Contains(notes, "1 files for people to read") {
			t.Errorf("notes do not tell what was left out:\n%s", notes)
		}
	}
}

// A tree without the words must cost a search, not a reading: nothing is
// split into tokens, nothing is parsed.
func TestATreeWithoutTheWordsIsOnlySearched(t *testing.T) {
	root := t.TempDir()
	plantTree(t, root, 200)
	s := &scan{root: root, opts: Options{MaxFileSize: defaultMaxFileSize}}
	w := s.newWorker()
	cov := evidence.Coverage{}
	walk := walker{root: root, cov: &cov, skipped: map[string]int{}}
	if err := walk.walk(context.Background(), func(j job) error { w.file(j); return nil }); err != nil {
		t.Fatal(err)
	}
	if w.judged != 0 {
		t.Errorf("%d of %d files were read as what they are", w.judged, w.read)
	}
	if w.read < 100 {
		t.Errorf("only %d files were searched", w.read)
	}
}

func TestWhoRunsIt(t *testing.T) {
	root := tree(t, map[string]string{"job.yaml": `
apiVersion: batch/v1
kind: CronJob
metadata:
  name: check
  namespace: ops
  labels: {app.kubernetes.io/name: checker}
spec:
  jobTemplate:
    spec:
      template:
        spec:
          serviceAccountName: reader
          containers:
          - {name: a, image: x, command: [kubectl, -n, web, get, ep, api]}
`})
	findings, _ := Scan(context.Background(), root, Options{})
	if len(findings) != 1 {
		t.Fatalf("findings: %v", locators(findings))
	}
	f := findings[0]
	want := evidence.Subject{Application: "checker", Workload: evidence.Workload{Kind: "CronJob", Namespace: "ops", Name: "check"}, ServiceAccount: "ops/reader"}
	if diff := cmp.Diff(want, f.Subject); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"web"}, f.Namespaces); diff != "" {
		t.Error(diff)
	}
	if f.Verbs["get"] != 1 || f.Class != evidence.Reader {
		t.Errorf("verbs %v, class %s", f.Verbs, f.Class)
	}
}

func TestWhatIsNotKnownIsNotGuessed(t *testing.T) {
	root := tree(t, map[string]string{
		"a.yml":  "tasks:\n- command: kubectl get ep -n {{ ns }}\n",
		"b.sh":   "kubectl apply -f - <<E\napiVersion: v1\nkind: Endpoints\nmetadata: {name: $NAME, namespace: $NS}\nE\n",
		"c.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata:\n  p.yml: |\n    kubernetes_sd_configs:\n    - role: endpoints\n",
		"d.py":   "requests.get(f'https://kubernetes.default/api/v1/namespaces/{ns}/endpoints')\n",
	})
	findings, _ := Scan(context.Background(), root, Options{})
	if len(findings) != 4 {
		t.Fatalf("findings: %v", locators(findings))
	}
	for _, f := range findings {
		if f.Subject.Application != "" || len(f.Namespaces) > 0 {
			t.Errorf("%s: application %q, namespaces %q", f.Evidence[0].Locator, f.Subject.Application, f.Namespaces)
		}
	}
}

func TestStatusFollowsFromTheText(t *testing.T) {
	tests := []struct {
		name, text string
		want       evidence.Status
	}{
		{"reads Endpoints alone", "v1.list_namespaced_endpoints(ns)\n", evidence.Unmigrated},
		{"reads both", "d.list_namespaced_endpoint_slice(ns)\nv1.list_namespaced_endpoints(ns)\n", evidence.Dual},
		{"speaks of slices in a comment", "# endpoint_slice\nv1.list_namespaced_endpoints(ns)\n", evidence.Unmigrated},
		{"acknowledged on the line", "v1.list_namespaced_endpoints(ns)  # slicewright:acknowledged\n", evidence.Acknowledged},
		{"acknowledged above", "# slicewright:acknowledged until the move\nv1.list_namespaced_endpoints(ns)\n", evidence.Acknowledged},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			findings, _ := Scan(context.Background(), tree(t, map[string]string{"a.py": tt.text}), Options{})
			if len(findings) != 1 || findings[0].Status != tt.want {
				t.Errorf("got %+v", findings)
			}
		})
	}
}

func TestClassVerbAndAccess(t *testing.T) {
	tests := []struct {
		file, text string
		want       string // class verb access
	}{
		{"a.py", "v1.list_namespaced_endpoints(ns)\n", "reader list list"},
		{"a.py", "v1.list_namespaced_endpoints(ns, watch=True)\n", "reader watch watch"},
		{"a.py", "watch.Watch().stream(v1.list_namespaced_endpoints, ns)\n", "reader watch watch"},
		{"a.py", "v1.patch_namespaced_endpoints(n, ns, b)\n", "producer patch patch"},
		{"a.py", "v1.read_namespaced_endpoints('kubernetes', 'default')\n", "apiserver-discovery get get"},
		{"a.ts", "makeInformer(kc, p, () => api.listNamespacedEndpoints({}))\n", "reader watch informer"},
		{"a.java", "import io.fabric8.kubernetes.client.X;\nclass A { void f() { client.endpoints().inform(h); } }\n", "reader watch informer"},
		{"a.java", "class A { void f() { new EndpointsLock(a, b, c); } }\n", "lock update generic"},
		{"a.sh", "kubectl get ep kubernetes\n", "apiserver-discovery get get"},
		{"a.sh", "kubectl describe ep web\n", "tooling get get"},
		{"a.sh", "kubectl delete ep web\n", "producer delete delete"},
		{"a.sh", "curl -X PUT -d @x https://kubernetes.default/api/v1/namespaces/a/endpoints/b\n", "producer update raw-http"},
		{"a.yaml", "apiVersion: v1\nkind: Endpoints\nmetadata: {name: a}\n", "producer create config"},
		{"a.yaml", "apiVersion: v1\nkind: Endpoints\nmetadata: {name: a, labels: {endpoints.kubernetes.io/managed-by: endpoint-controller}}\n", "expected create config"},
		{"a.yaml", "env:\n- {name: PATRONI_KUBERNETES_USE_ENDPOINTS, value: 'true'}\n", "state-store update config"},
		{"a.yaml", "kubernetes_sd_configs:\n- role: endpoints\n", "reader watch informer"},
		{"a.yml", "- k8s: {kind: Endpoints, state: absent, name: a}\n", "producer delete delete"},
		{"a.yml", "- k8s_info: {kind: Endpoints}\n", "reader list list"},
		{"a.tf", "data \"kubernetes_endpoints_v1\" \"a\" {}\n", "reader get get"},
	}
	for _, tt := range tests {
		findings, _ := Scan(context.Background(), tree(t, map[string]string{tt.file: tt.text}), Options{})
		if len(findings) != 1 {
			t.Errorf("%s: %d findings", tt.text, len(findings))
			continue
		}
		f := findings[0]
		if got := fmt.Sprintf("%s %s %s", f.Class, f.Evidence[0].Verb, f.Access[0]); got != tt.want {
			t.Errorf("%q is %s, want %s", tt.text, got, tt.want)
		}
		if f.Advice == "" || f.Verbs[f.Evidence[0].Verb] != 1 {
			t.Errorf("%q: advice %q, verbs %v", tt.text, f.Advice, f.Verbs)
		}
	}
}

func TestALibraryThatIsTurnedToSlicesIsNoFinding(t *testing.T) {
	const pom = "<artifactId>spring-cloud-starter-kubernetes-fabric8</artifactId>\n"
	tests := []struct {
		name, file, text string
		want             int
	}{
		{"nothing set", "a/src/application.yml", "spring: {}\n", 1},
		{"turned in YAML", "a/src/application.yml", "spring:\n  cloud:\n    kubernetes:\n      discovery:\n        use-endpoint-slices: true\n", 0},
		{"turned in properties", "a/src/application.properties", "spring.cloud.kubernetes.discovery.use-endpoint-slices=true\n", 0},
		{"turned in a ConfigMap", "a/k8s/cm.yaml", "kind: ConfigMap\napiVersion: v1\ndata:\n  application.properties: |\n    spring.cloud.kubernetes.discovery.use-endpoint-slices=true\n", 0},
		{"turned in another program", "b/application.properties", "spring.cloud.kubernetes.discovery.use-endpoint-slices=true\n", 1},
		{"turned the other way", "a/application.properties", "spring.cloud.kubernetes.discovery.use-endpoint-slices=false\n", 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			findings, cov := Scan(context.Background(), tree(t, map[string]string{"a/pom.xml": pom, tt.file: tt.text}), Options{})
			if len(findings) != tt.want {
				t.Errorf("findings %v, want %d", locators(findings), tt.want)
			}
			if told := strings.Contains(strings.Join(cov.Notes, "\n"), "is turned to EndpointSlices in "+tt.file); told != (tt.want == 0) {
				t.Errorf("notes: %q", cov.Notes)
			}
		})
	}
}
