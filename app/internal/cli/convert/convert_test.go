package convert

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slicewright/slicewright/app/internal/cli/command"
)

const (
	endpointsOfPrices = "apiVersion: v1\nkind: Endpoints\nmetadata: {name: prices, namespace: shop}\nsubsets:\n- addresses: [{ip: 10.0.0.1}]\n  ports: [{port: 80}]\n"
	badEndpoints      = "apiVersion: v1\nkind: Endpoints\nmetadata: {name: bad, namespace: shop}\nsubsets:\n- addresses: [{ip: 127.0.0.1}]\n"
	roleOfReader      = "apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {name: reader, namespace: shop, uid: u}\nrules:\n- apiGroups: ['']\n  resources: [endpoints]\n  verbs: [get, list, watch]\n"
	roleByName        = "apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {name: lock, namespace: shop}\nrules:\n- apiGroups: ['']\n  resources: [endpoints]\n  resourceNames: [scheduler]\n  verbs: [update]\n"
)

// runConvert runs the command with stdin in a fresh directory that holds files.
func runConvert(t *testing.T, stdin string, files map[string]string, args ...string) (code int, out, errs string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for i, arg := range args {
		args[i] = strings.ReplaceAll(arg, "DIR", dir)
	}
	var stdout, stderr bytes.Buffer
	code = program.Main(t.Context(), command.Streams{In: strings.NewReader(stdin), Out: &stdout, Err: &stderr}, append([]string{"slicewright", "convert"}, args...))
	return code, stdout.String(), strings.ReplaceAll(stderr.String(), dir, "DIR")
}

func TestConvertIsAllOrNothing(t *testing.T) {
	tests := []struct {
		name  string
		stdin string
		files map[string]string
		args  []string
		code  int
		out   int    // how many objects
		errs  string // what stderr says
	}{
		{"stdin", endpointsOfPrices, nil, []string{"-f", "-"}, command.ExitHolds, 1, ""},
		{"a file of any name", "", map[string]string{"x": endpointsOfPrices}, []string{"-f", "DIR/x"}, command.ExitHolds, 1, ""},
		{"a directory's manifests", "", map[string]string{"a.yaml": endpointsOfPrices, "b.yml": endpointsOfPrices, "c.json": "{}", "d.txt": "%", "e/f.yaml": endpointsOfPrices}, []string{"-f", "DIR"}, command.ExitHolds, 2, "DIR/c.json: document 1, line 1: no Kubernetes object"},
		{"and those below", "", map[string]string{"a.yaml": endpointsOfPrices, "e/f.yaml": endpointsOfPrices}, []string{"-R", "-f", "DIR"}, command.ExitHolds, 2, ""},
		{"one bad among good", endpointsOfPrices, map[string]string{"a.yaml": endpointsOfPrices, "b.yaml": endpointsOfPrices + "---\n" + badEndpoints}, []string{"-f", "-", "-f", "DIR"}, command.ExitFailed, 0, "DIR/b.yaml: document 2, line 12: endpoints shop/bad: address 127.0.0.1 is a loopback address"},
		{"a role that lacks a rule", roleOfReader, nil, []string{"-f", "-"}, command.ExitHolds, 1, ""},
		{"a role by names", endpointsOfPrices + "---\n" + roleByName, nil, []string{"-f", "-"}, command.ExitFailed, 0, "document 2, line 12: Role shop/lock: update on endpoints named scheduler cannot be carried over"},
		{"an incomplete list", "apiVersion: v1\nkind: EndpointsList\nmetadata: {continue: abc}\nitems: []\n", nil, []string{"-f", "-"}, command.ExitUnknown, 0, "document 1, line 1: the EndpointsList is an incomplete list"},
		{"nothing to convert", "kind: Service\napiVersion: v1\n", nil, []string{"-f", "-"}, command.ExitFailed, 0, "nothing to convert in -"},
		{"no file", "", nil, []string{"-f", "DIR/none"}, command.ExitFailed, 0, "no such file"},
		{"nothing said", "", nil, nil, command.ExitUsage, 0, "say what to convert"},
		{"stdin twice", "", nil, []string{"-f", "-", "-f", "-"}, command.ExitUsage, 0, "stdin can be read once"},
		{"an unknown format", "", nil, []string{"-f", "-", "-o", "xml"}, command.ExitUsage, 0, `unknown output "xml"`},
		{"more than a slice holds", "", nil, []string{"-f", "-", "--max-endpoints", "1001"}, command.ExitUsage, 0, "1 to 1000"},
		{"the controller's name", "", nil, []string{"-f", "-", "--managed-by", "endpointslice-controller.k8s.io"}, command.ExitUsage, 0, "belong to Kubernetes"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			code, out, errs := runConvert(t, tt.stdin, tt.files, tt.args...)
			if code != tt.code || !strings.Contains(errs, tt.errs) || tt.errs == "" && errs != "" {
				t.Errorf("exit %d, want %d; stderr %q, want %q", code, tt.code, errs, tt.errs)
			}
			if got := strings.Count(out, "apiVersion:"); got != tt.out || code != command.ExitHolds && out != "" {
				t.Errorf("%d objects, want %d:\n%s", got, tt.out, out)
			}
		})
	}
}

// What convert writes, it can be given again: the roles lack nothing any more.
func TestConvertAddsWhatARoleLacksOnce(t *testing.T) {
	_, out, _ := runConvert(t, roleOfReader, nil, "-f", "-")
	const golden = `apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata:
  name: reader
  namespace: shop
rules:
- apiGroups:
  - ""
  resources:
  - endpoints
  verbs:
  - get
  - list
  - watch
- apiGroups:
  - discovery.k8s.io
  resources:
  - endpointslices
  verbs:
  - get
  - list
  - watch
`
	if out != golden {
		t.Errorf("got:\n%s", out)
	}
	if code, out, errs := runConvert(t, out, nil, "-f", "-"); code != command.ExitFailed || out != "" || !strings.Contains(errs, "nothing to convert") {
		t.Errorf("a second time: exit %d, %q, %q", code, out, errs)
	}
}

func TestConvertWritesAList(t *testing.T) {
	_, out, _ := runConvert(t, endpointsOfPrices, nil, "-f", "-", "-o", "json", "--stable-names", "-n", "other")
	var list struct {
		APIVersion, Kind string
		Items            []struct {
			APIVersion, Kind string
			Metadata         struct{ Name, Namespace string }
		}
	}
	if err := json.Unmarshal([]byte(out), &list); err != nil {
		t.Fatal(err)
	}
	if list.Kind != "List" || len(list.Items) != 1 || list.Items[0].Kind != "EndpointSlice" || list.Items[0].Metadata.Namespace != "shop" || !strings.HasPrefix(list.Items[0].Metadata.Name, "prices-") {
		t.Errorf("%+v", list)
	}
}
