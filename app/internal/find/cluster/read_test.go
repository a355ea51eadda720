package cluster_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
	"k8s.io/client-go/rest"

	"github.com/slicewright/slicewright/app/internal/find/cluster"
	"github.com/slicewright/slicewright/app/internal/find/evidence"
	"github.com/slicewright/slicewright/app/internal/find/internal/apitest"
	"github.com/slicewright/slicewright/app/internal/find/objects"
)

func object(apiVersion, kind, namespace, name string, more ...any) map[string]any {
	metadata := map[string]any{"name": name}
	if namespace != "" {
		metadata["namespace"] = namespace
	}
	o := map[string]any{"apiVersion": apiVersion, "kind": kind, "metadata": metadata}
	for i := 0; i < len(more); i += 2 {
		key := more[i].(string)
		if key == "ownerReferences" {
			metadata[key] = more[i+1]
			continue
		}
		o[key] = more[i+1]
	}
	return o
}

func client(t *testing.T, server *apitest.Server) *cluster.Client {
	t.Helper()
	c, err := cluster.NewClient(&rest.Config{Host: server.URL}, "v1.2.3")
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func read(t *testing.T, server *apitest.Server, opts cluster.Options) (*objects.Snapshot, evidence.Coverage) {
	t.Helper()
	snapshot, coverage, err := cluster.Read(context.Background(), client(t, server), opts)
	if err != nil {
		t.Fatal(err)
	}
	return snapshot, coverage
}

func pods(namespace string, n int) []map[string]any {
	var out []map[string]any
	for i := range n {
		out = append(out, object("v1", "Pod", namespace, fmt.Sprintf("p%d", i)))
	}
	return out
}

func TestReadReadsAllPagesAndSaysWhoAsks(t *testing.T) {
	server := apitest.New(t, pods("n", 7))
	snapshot, coverage := read(t, server, cluster.Options{PageSize: 3})
	if len(snapshot.Pods) != 7 || coverage.Read != 7 || len(coverage.Problems) > 0 {
		t.Errorf("%d Pods, coverage %+v", len(snapshot.Pods), coverage)
	}
	asked, metadataOnly := 0, map[string]bool{}
	for _, r := range server.Requests() {
		if r.UserAgent != "slicewright/v1.2.3 (find)" || r.Method != "GET" {
			t.Errorf("%s %s as %q", r.Method, r.Path, r.UserAgent)
		}
		if r.Path == "/api/v1/pods" {
			asked++
		}
		if r.MetadataOnly {
			metadataOnly[r.Path[strings.LastIndexByte(r.Path, '/')+1:]] = true
		}
	}
	if asked != 3 {
		t.Errorf("Pods were asked for %d times, want 3 pages", asked)
	}
	if diff := cmp.Diff(map[string]bool{"endpoints": true, "endpointslices": true, "replicasets": true}, metadataOnly); diff != "" {
		t.Errorf("asked for metadata only (-want +got):\n%s", diff)
	}
}

func TestAListThatExpiresIsReadAgainAndNothingTwice(t *testing.T) {
	server := apitest.New(t, pods("n", 7))
	server.ExpireOnce["pods"] = true
	snapshot, coverage := read(t, server, cluster.Options{PageSize: 3})
	if len(snapshot.Pods) != 7 || len(coverage.Problems) > 0 {
		t.Errorf("%d Pods, problems %v", len(snapshot.Pods), coverage.Problems)
	}
}

func TestWhatIsForbiddenIsSaidAndTheRestRead(t *testing.T) {
	server := apitest.New(t, append(pods("n", 2), object("v1", "Service", "n", "s")))
	server.Forbidden["pods"] = true
	server.Broken["jobs"] = true
	snapshot, coverage := read(t, server, cluster.Options{})
	if len(snapshot.Services) != 1 || len(snapshot.Pods) != 0 {
		t.Errorf("%d Services and %d Pods, want 1 and 0", len(snapshot.Services), len(snapshot.Pods))
	}
	if len(coverage.Problems) != 2 || coverage.Skipped != 2 ||
		!strings.Contains(coverage.Problems[0].Message, "broken on purpose") ||
		!strings.Contains(coverage.Problems[1].Message, "403") || !strings.Contains(coverage.Problems[1].Message, "grant the verb list on pods") {
		t.Errorf("problems %v", coverage.Problems)
	}
}

func TestNamespacesAreReadOneByOneWhereAllAreForbidden(t *testing.T) {
	server := apitest.New(t, append(pods("mine", 2), pods("other", 3)...))
	server.Forbidden["pods"] = true
	snapshot, coverage := read(t, server, cluster.Options{Namespaces: []string{"mine"}})
	if len(snapshot.Pods) != 2 || snapshot.Pods[0].Namespace != "mine" {
		t.Errorf("Pods %v, want the 2 of mine", snapshot.Pods)
	}
	if len(coverage.Problems) != 1 || !strings.Contains(coverage.Problems[0].Message, "in 1 namespaces only") {
		t.Errorf("problems %v, want that others were not seen", coverage.Problems)
	}
}

func TestWithoutAnyRightsEverythingIsAProblemAndNothingAnError(t *testing.T) {
	server := apitest.New(t, pods("n", 1))
	var asked []string
	opts := cluster.Options{Progress: func(resource string) {
		asked = append(asked, resource)
		server.ForbiddenAnywhere[resource] = true
	}}
	snapshot, coverage := read(t, server, opts)
	if snapshot.Len() != 0 || len(coverage.Problems) != len(asked) || len(asked) != 16 {
		t.Errorf("%d objects, %d problems, asked for %v", snapshot.Len(), len(coverage.Problems), asked)
	}
}

func TestAReplicaSetWithoutAnOwnerIsReadWhole(t *testing.T) {
	template := map[string]any{"template": map[string]any{"spec": map[string]any{"serviceAccountName": "a"}}}
	owner := []any{map[string]any{"apiVersion": "apps/v1", "kind": "Deployment", "name": "web", "uid": "u", "controller": true}}
	server := apitest.New(t, []map[string]any{
		object("apps/v1", "ReplicaSet", "n", "owned", "spec", template, "ownerReferences", owner),
		object("apps/v1", "ReplicaSet", "n", "alone", "spec", template),
	})
	snapshot, _ := read(t, server, cluster.Options{})
	if len(snapshot.Workloads) != 2 {
		t.Fatalf("%d workloads, want 2", len(snapshot.Workloads))
	}
	owned, alone := snapshot.Workloads[0], snapshot.Workloads[1]
	if owned.Template != nil || owned.Controller.Name != "web" {
		t.Errorf("the owned one: %+v", owned)
	}
	if alone.Template == nil || alone.Template.ServiceAccount != "a" {
		t.Errorf("the one alone: %+v", alone)
	}
}

func TestReadEndsWithItsContext(t *testing.T) {
	server := apitest.New(t, pods("n", 1))
	ctx, cancel := context.WithCancel(context.Background())
	opts := cluster.Options{Progress: func(resource string) {
		if resource == "pods" {
			cancel()
		}
	}}
	_, coverage, err := cluster.Read(ctx, client(t, server), opts)
	if err == nil || !strings.Contains(err.Error(), "list pods") {
		t.Errorf("error %v, want one about pods", err)
	}
	if len(coverage.Problems) != 1 {
		t.Errorf("problems %v, want that pods were not listed", coverage.Problems)
	}
}

func TestMain(m *testing.M) {
	// Idle connections of the client's transports outlive a test by design.
	goleak.VerifyTestMain(m,
		goleak.IgnoreTopFunction("net/http.(*persistConn).readLoop"),
		goleak.IgnoreTopFunction("net/http.(*persistConn).writeLoop"),
		goleak.IgnoreTopFunction("internal/poll.runtime_pollWait"))
}
