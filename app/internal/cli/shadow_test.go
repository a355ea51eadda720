package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/slicewright/slicewright/app/internal/shadow"
	"github.com/slicewright/slicewright/app/internal/shadow/live"
	"github.com/slicewright/slicewright/endpointset"
)

const (
	shadowEndpoints = `{"apiVersion":"v1","kind":"Endpoints","metadata":{"name":"prices","namespace":"shop"},"subsets":[{"addresses":[{"ip":"%s"}],"ports":[{"name":"http","port":8080}]}]}`
	shadowSlice     = `{"apiVersion":"discovery.k8s.io/v1","kind":"EndpointSlice","metadata":{"name":"prices-a","namespace":"shop","labels":{"kubernetes.io/service-name":"prices","endpointslice.kubernetes.io/managed-by":"endpointslice-controller.k8s.io"}},"addressType":"IPv4","ports":[{"name":"http","port":8080}],"endpoints":[{"addresses":["10.0.0.1"]}]}`
)

func shadowObjects(ip string) string { return fmt.Sprintf(shadowEndpoints, ip) + "\n" + shadowSlice }

// shadowOf runs the command with -o json and checks what it prints.
func shadowOf(t *testing.T, stdin string, wantCode int, args ...string) *shadow.Report {
	t.Helper()
	out, errs, code := run(t, stdin, append([]string{"shadow", "-o", "json"}, args...)...)
	if code != wantCode {
		t.Fatalf("exit code %d, want %d: %s", code, wantCode, errs)
	}
	checkSchema(t, "shadowreport", out)
	var r shadow.Report
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatal(err)
	}
	return &r
}

func TestShadowOfManifests(t *testing.T) {
	if r := shadowOf(t, shadowObjects("10.0.0.1"), ExitHolds, "-f", "-"); r.Outcome != shadow.Equal || len(r.Services) != 1 {
		t.Errorf("%+v", r)
	}
	r := shadowOf(t, shadowObjects("10.0.0.9"), ExitFinding, "-f", "-")
	if r.Services[0].Classes[shadow.EndpointsStale] != 1 || r.Services[0].Classes[shadow.EndpointsBehind] != 1 {
		t.Errorf("%+v", r.Services)
	}
	shadowOf(t, shadowObjects("10.0.0.1"), ExitUnknown, "-f", "-", "shop/absent")
	shadowOf(t, shadowObjects("10.0.0.9"), ExitUnknown, "-f", "-", "-n", "other")
}

func TestShadowShowsATable(t *testing.T) {
	out, _, code := run(t, shadowObjects("10.0.0.9"), "shadow", "-f", "-")
	want := `SERVICE      OUTCOME    ENDPOINTS  SLICES  DIFFERENCES
shop/prices  different  1          1       1 endpoints-behind, 1 endpoints-stale

shop/prices
  endpoints-behind  10.0.0.1:8080 http TCP  only-slices: the Endpoints could hold it
  endpoints-stale   10.0.0.9:8080 http TCP  only-endpoints: no slice has it; Pods were not looked at
`
	if code != ExitFinding || !strings.HasPrefix(out, want) || strings.Count(out, "Not read: ") != 3 {
		t.Errorf("exit code %d:\n%s", code, out)
	}
}

func TestShadowWritesAPage(t *testing.T) {
	out, errs, code := run(t, shadowObjects("10.0.0.9"), "shadow", "-f", "-", "-o", "html")
	if code != ExitFinding || !strings.HasPrefix(out, "<!doctype html>") || !strings.Contains(out, "10.0.0.9:8080") {
		t.Errorf("exit code %d: %s%.200s", code, errs, out)
	}
}

func TestShadowWithAReference(t *testing.T) {
	file := filepath.Join(t.TempDir(), "reference.yaml")
	text := "apiVersion: slicewright.dev/v1alpha1\nkind: ShadowReference\nservices: [{service: shop/prices, backends: [{port: http, endpoint: \"10.0.0.1:8080\"}]}]\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if r := shadowOf(t, shadowObjects("10.0.0.9"), ExitHolds, "-f", "-", "--reference", file); !r.Services[0].Reference {
		t.Errorf("%+v", r.Services)
	}
	if err := os.WriteFile(file, []byte("kind: Config\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, errs, code := run(t, shadowObjects("10.0.0.9"), "shadow", "-f", "-", "--reference", file); code != ExitFailed || !strings.Contains(errs, file) {
		t.Errorf("exit code %d: %s", code, errs)
	}
}

func TestShadowRefusesWhatMakesNoSense(t *testing.T) {
	for _, args := range [][]string{
		{"-o", "pdf"},
		{"-A", "shop/prices"},
		{"--settle", "0s"},
		{"--for", "1s"},
		{"-f", "-", "--for", "1m"},
		{"-f", "-", "--events-on-service"},
		{"a/b/c"},
	} {
		if _, errs, code := run(t, "", append([]string{"shadow"}, args...)...); code != ExitUsage || errs == "" {
			t.Errorf("%v: exit code %d: %s", args, code, errs)
		}
	}
	incomplete := "apiVersion: v1\nkind: EndpointsList\nmetadata: {continue: abc}\nitems: []\n"
	if _, errs, code := run(t, incomplete, "shadow", "-f", "-"); code != ExitUnknown || !strings.Contains(errs, "the EndpointsList is an incomplete list") {
		t.Errorf("an incomplete list: exit code %d, %s", code, errs)
	}
	if _, _, code := run(t, "a: [", "shadow", "-f", "-"); code != ExitFailed {
		t.Errorf("no YAML: exit code %d", code)
	}
}

// A shadowServer answers lists of one Endpoints object and one slice, and
// watches by silence; it refuses what it is told to.
type shadowServer struct {
	*httptest.Server
	ip      string
	refused string

	mu    sync.Mutex
	asked []string
}

func newShadowServer(t *testing.T) *shadowServer {
	s := &shadowServer{ip: "10.0.0.1"}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *shadowServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	resource := r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:]
	s.mu.Lock()
	s.asked = append(s.asked, resource)
	s.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	status := func(code int, reason string) {
		w.WriteHeader(code)
		fmt.Fprintf(w, `{"apiVersion":"v1","kind":"Status","status":"Failure","reason":%q,"code":%d,"message":"not here"}`, reason, code)
	}
	switch {
	case resource == s.refused:
		status(http.StatusForbidden, "Forbidden")
	case r.URL.Query().Get("sendInitialEvents") == "true":
		status(http.StatusUnprocessableEntity, "Invalid") // as an older server does: then it is listed
	case r.URL.Query().Get("watch") != "":
		w.WriteHeader(http.StatusOK)
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	default:
		var items string
		kind := map[string]string{
			"endpoints": "v1 EndpointsList", "endpointslices": "discovery.k8s.io/v1 EndpointSliceList",
			"services": "v1 ServiceList", "pods": "v1 PodList", "nodes": "v1 NodeList",
		}[resource]
		switch resource {
		case "endpoints":
			items = fmt.Sprintf(shadowEndpoints, s.ip)
		case "endpointslices":
			items = shadowSlice
		case "selfsubjectaccessreviews":
			fmt.Fprint(w, `{"apiVersion":"authorization.k8s.io/v1","kind":"SelfSubjectAccessReview","spec":{},"status":{"allowed":true}}`)
			return
		case "services":
			items = `{"metadata":{"name":"prices","namespace":"shop","uid":"u"},"spec":{}}`
		}
		version, kind, _ := strings.Cut(kind, " ")
		fmt.Fprintf(w, `{"apiVersion":%q,"kind":%q,"metadata":{"resourceVersion":"7"},"items":[%s]}`, version, kind, items)
	}
}

// waitFor returns when the server has been asked for all of the resources.
func (s *shadowServer) waitFor(t *testing.T, resources []string) {
	t.Helper()
	deadline := time.Now().Add(time.Minute) // a loaded machine is slow
	for slices.ContainsFunc(resources, func(r string) bool { return !slices.Contains(s.resources(), r) }) {
		if time.Now().After(deadline) {
			t.Fatalf("asked for %v, and never for all of %v", s.resources(), resources)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// resources returns what was asked for, each once.
func (s *shadowServer) resources() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Compact(slices.Sorted(slices.Values(s.asked)))
}

func TestShadowOfACluster(t *testing.T) {
	s := newShadowServer(t)
	args := []string{"--server", s.URL, "--settle", "100ms", "shop/prices"}
	if r := shadowOf(t, "", ExitHolds, args...); r.Services[0].Outcome != shadow.Equal || len(r.Unread) > 0 {
		t.Errorf("%+v", r)
	}
	s.ip = "10.0.0.9"
	if r := shadowOf(t, "", ExitFinding, args...); r.Services[0].Classes[shadow.EndpointsStale] != 1 {
		t.Errorf("%+v", r)
	}
}

func TestShadowOfAClusterThatRefuses(t *testing.T) {
	s := newShadowServer(t)
	s.refused = "endpoints"
	// Refused, it does not wait out its time.
	began := time.Now()
	r := shadowOf(t, "", ExitUnknown, "--server", s.URL, "--for", "10m", "-A")
	if r.Outcome != shadow.Unknown || len(r.Unread) != 1 || !r.Unread[0].Needed || !r.Unread[0].Refused {
		t.Errorf("%+v", r)
	}
	if took := time.Since(began); took > 5*time.Minute {
		t.Errorf("it took %s", took)
	}
}

// Only mode shadow asks for Endpoints, and nothing of another mode ever does.
func TestRunAsksForEndpointsInModeShadowAlone(t *testing.T) {
	for _, tt := range []struct {
		name, upstream string
		until, want    []string
	}{
		{"publish", `to: [{template: {source: "builtin:json", destination: out.json}}]`, []string{"endpointslices"}, []string{"endpointslices", "selfsubjectaccessreviews"}},
		{
			"shadow", "mode: shadow",
			[]string{"endpoints", "endpointslices", "nodes", "pods", "services"},
			[]string{"endpoints", "endpointslices", "nodes", "pods", "selfsubjectaccessreviews", "services"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newShadowServer(t)
			file := filepath.Join(t.TempDir(), "slicewright.yaml")
			text := "apiVersion: slicewright.dev/v1alpha1\nkind: Config\nnamespaces: [shop]\nupstreams:\n- {name: prices, service: shop/prices, port: http, " + tt.upstream + "}\n"
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan int)
			go func() {
				var out, errs strings.Builder
				code := Main(ctx, Streams{In: strings.NewReader(""), Out: &out, Err: &errs},
					[]string{"slicewright", "run", "--config", file, "--server", s.URL, "--metrics-address", ""})
				t.Log(errs.String())
				ended <- code
			}()
			s.waitFor(t, tt.until)
			// Had it ended by itself, nobody would take the code.
			select {
			case code := <-ended:
				t.Errorf("it ended by itself with code %d", code)
			default:
			}
			cancel()
			if code := <-ended; code != ExitHolds {
				t.Errorf("exit code %d", code)
			}
			if got := s.resources(); !slices.Equal(got, tt.want) {
				t.Errorf("it asked for %v, want %v", got, tt.want)
			}
		})
	}
}

// The status of a run with upstreams in mode shadow has their comparison.
func TestRunStatusHasTheComparison(t *testing.T) {
	r := aRunner(t, aServer(), prometheus.NewRegistry())
	r.shadow = live.New(fake.NewClientset(), live.Options{Services: []endpointset.ServiceKey{{Namespace: "shop", Name: "prices"}}})
	text, err := json.Marshal(r.status())
	if err != nil {
		t.Fatal(err)
	}
	checkSchema(t, "runstatus", string(text))
	part, err := json.Marshal(r.status().Shadow)
	if err != nil {
		t.Fatal(err)
	}
	checkSchema(t, "shadowreport", string(part))
}
