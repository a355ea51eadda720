package analyzer

import (
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// FuzzReadSyntax reads sources that no compiler has seen: nothing may panic, and
// every site lies in the file.
func FuzzReadSyntax(f *testing.F) {
	f.Add("package x\nfunc f() { cs.CoreV1().Endpoints(\"x\").List(ctx, o) }\n")
	f.Add("package x\nvar a = b\nvar b = a\nfunc f() { a.Get(b) }\n")
	f.Add("package x\nvar r = schema.GroupVersionResource{\"\", \"v1\", \"endpoints\"}\n//+kubebuilder:rbac:groups=\"\",resources=endpoints,verbs=get\n")
	f.Add("package x\nvar u = \"/api/v1/\" + \"endpoints\" + `\xff`\n")
	f.Add("package x\nfunc f(")
	f.Fuzz(func(t *testing.T, source string) {
		fset := token.NewFileSet()
		file, _ := parser.ParseFile(fset, "x.go", source, parser.ParseComments)
		if file == nil {
			t.Skip()
		}
		for _, site := range ReadSyntax(fset, file) {
			if site.Pos < file.FileStart || file.FileEnd < site.Pos || site.Class == "" || site.Advice == "" {
				t.Errorf("site %+v", site)
			}
		}
	})
}

// FuzzMarker reads kubebuilder's arguments: nothing may hang or panic.
func FuzzMarker(f *testing.F) {
	f.Add(`groups="",resources=endpoints,verbs=get;list;watch`)
	f.Add(`groups={"",apps},resources="endpoints";services,verbs=*`)
	f.Add(`=,=;,{"`)
	f.Fuzz(func(t *testing.T, s string) {
		for key := range markerArguments(s) {
			if strings.Contains(key, "=") {
				t.Errorf("key %q of %q", key, s)
			}
		}
	})
}

// FuzzKubectl reads command lines.
func FuzzKubectl(f *testing.F) {
	f.Add("kubectl -n prod get svc,ep web -o json")
	f.Add("oc delete endpoints/web")
	f.Fuzz(func(t *testing.T, line string) {
		if verb, ok := kubectlVerb(strings.Fields(line)); ok && verb == "" {
			t.Errorf("%q has no verb", line)
		}
	})
}

func TestKubectlCommandLines(t *testing.T) {
	for line, want := range map[string]string{
		"kubectl get endpoints":                         "get",
		"kubectl get ep/web":                            "get",
		"kubectl --context x get -n prod svc,endpoints": "get",
		"/usr/local/bin/kubectl describe ep web":        "get",
		"oc delete endpoints web":                       "delete",
		"kubectl wait --for jsonpath={.x} endpoints/a":  "watch",
		"kubectl get endpointslices":                    "",
		"kubectl get pods endpoints":                    "",
		"kubectl get -n endpoints pods":                 "",
		"kubectl apply -f endpoints":                    "",
		"etcdctl endpoint health":                       "",
		"kubectl":                                       "",
	} {
		if got, _ := kubectlVerb(strings.Fields(line)); got != want {
			t.Errorf("%q is %q, want %q", line, got, want)
		}
	}
}

func TestPathsOfTheAPIServer(t *testing.T) {
	for text, want := range map[string]string{
		"/api/v1/endpoints":                                 "list",
		"https://h/api/v1/namespaces/a/endpoints":           "list",
		"/api/v1/namespaces/a/endpoints/b":                  "get",
		"/api/v1/namespaces/" + hole + "/endpoints/" + hole: "get",
		"/api/v1/watch/namespaces/a/endpoints":              "watch",
		"/api/v1/endpoints?watch=true":                      "watch",
		"api/v1/endpoints":                                  "list",
		hole + "/namespaces/" + hole + "/endpoints":         "list",
		"/api/v1/endpointslices":                            "",
		"/api/v2/endpoints":                                 "",
		"/myapi/v1/endpoints":                               "",
		"/apis/submariner.io/v1/namespaces/a/endpoints":     "",
		"GET /api/v1/endpoints":                             "",
		"/api/v1/namespaces/a/pods/endpoints":               "",
	} {
		which, _, verb := pathAPI(text)
		if which == noAPI {
			verb = ""
		}
		if verb != want {
			t.Errorf("%q is %q, want %q", text, verb, want)
		}
	}
}

func TestMarkerArguments(t *testing.T) {
	for text, want := range map[string]map[string][]string{
		`groups="",resources=endpoints,verbs=get;list`:       {"groups": {""}, "resources": {"endpoints"}, "verbs": {"get", "list"}},
		`groups={"",apps},resources="endpoints;x",verbs=*`:   {"groups": {"", "apps"}, "resources": {"endpoints", "x"}, "verbs": {"*"}},
		`resources=services;endpoints,verbs=get,groups=core`: {"resources": {"services", "endpoints"}, "verbs": {"get"}, "groups": {"core"}},
		`nonsense`: {},
	} {
		if diff := cmp.Diff(want, markerArguments(text)); diff != "" {
			t.Errorf("%s: %s", text, diff)
		}
	}
}

func TestDirectives(t *testing.T) {
	for text, want := range map[string]bool{
		"//nolint":              true,
		"//nolint:endpointsvet": true,
		"// nolint:errcheck,staticcheck // reason": true,
		"//nolint:all":                      true,
		"//lint:ignore SA1019 not yet":      true,
		"//lint:file-ignore SA1019 not yet": true,
		"//nolint:errcheck":                 false,
		"//nolint:endpointsvet2":            false,
		"//lint:ignore SA4000 no":           false,
		"// nolinting is a word":            false,
		"// see nolint:endpointsvet":        false,
	} {
		if _, _, ok := directive(text); ok != want {
			t.Errorf("%q acknowledges: %v, want %v", text, ok, want)
		}
	}
}
