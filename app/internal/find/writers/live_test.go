package writers_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"

	"github.com/slicewright/slicewright/app/internal/find/cluster"
	"github.com/slicewright/slicewright/app/internal/find/evidence"
	"github.com/slicewright/slicewright/app/internal/find/internal/apitest"
	"github.com/slicewright/slicewright/app/internal/find/manifests"
	"github.com/slicewright/slicewright/app/internal/find/objects"
	"github.com/slicewright/slicewright/app/internal/find/rbac"
	"github.com/slicewright/slicewright/app/internal/find/writers"
)

// conclusions are everything that follows from a snapshot, less where it was
// read: that is a line of a file for a dump and an object for a cluster.
type conclusions struct {
	Findings []evidence.Finding
	Patches  []rbac.Patch
	Coverage []evidence.Coverage
}

func conclude(s *objects.Snapshot) conclusions {
	grants := rbac.Analyze(s)
	written, coverage := writers.Find(s, grants)
	out := conclusions{append(grants.Findings, written...), grants.Patches, []evidence.Coverage{grants.Coverage, coverage}}
	for i := range out.Findings {
		for j := range out.Findings[i].Evidence {
			out.Findings[i].Evidence[j].Locator = ""
		}
	}
	for i := range out.Patches {
		out.Patches[i].Locator = ""
	}
	for _, c := range out.Coverage {
		for i := range c.Problems {
			c.Problems[i].Locator = ""
		}
	}
	return out
}

// A dump concludes what the cluster concludes, as YAML, as JSON, and in pages.
func TestADumpConcludesWhatItsClusterDoes(t *testing.T) {
	text, err := os.ReadFile("testdata/cluster.yaml")
	if err != nil {
		t.Fatal(err)
	}
	asJSON, err := yaml.YAMLToJSON(text)
	if err != nil {
		t.Fatal(err)
	}
	var list struct{ Items []map[string]any }
	if err := json.Unmarshal(asJSON, &list); err != nil {
		t.Fatal(err)
	}

	server := apitest.New(t, list.Items)
	client, err := cluster.NewClient(&rest.Config{Host: server.URL}, "")
	if err != nil {
		t.Fatal(err)
	}
	live, coverage, err := cluster.Read(context.Background(), client, cluster.Options{PageSize: 2})
	if err != nil || len(coverage.Problems) > 0 {
		t.Fatalf("%v, problems %v", err, coverage.Problems)
	}
	want := conclude(live)

	for name, dump := range map[string][]byte{"YAML": text, "JSON": asJSON} {
		offline, coverage := manifests.ReadStream("dump", bytes.NewReader(dump), manifests.Options{})
		if len(coverage.Problems) > 0 || offline.Len() != live.Len() {
			t.Errorf("%s: %d objects, problems %v; the cluster has %d", name, offline.Len(), coverage.Problems, live.Len())
		}
		if diff := cmp.Diff(want, conclude(offline)); diff != "" {
			t.Errorf("%s (-cluster +dump):\n%s", name, diff)
		}
	}

	// And what that is.
	var got []string
	for _, f := range want.Findings {
		got = append(got, string(f.Confidence)+" "+string(f.Class)+" "+f.Subject.Application+" "+f.Subject.ServiceAccount)
	}
	if diff := cmp.Diff([]string{
		"possible producer db-publisher prod/publisher",
		"possible reader debug prod/quiet",
		"possible reader alone prod/quiet",
		"broad reader alice ",
		"broad reader nightly ops/dash",
		"broad expected group system:masters ",
		"possible expected endpoint-controller kube-system/endpoint-controller",
		"proven producer db-publisher prod/publisher",
		"proven lock debug prod/quiet",
		"proven expected endpoint-controller ",
	}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// What a v1.37.2 control plane wrote, with an Endpoints object created by kubectl
// and one by a program that called itself db-publisher.
func TestFindOnARecordedCluster(t *testing.T) {
	text, err := os.ReadFile("testdata/recorded-v1.37.2.yaml")
	if err != nil {
		t.Fatal(err)
	}
	snapshot, coverage := manifests.ReadStream("recorded", bytes.NewReader(text), manifests.Options{})
	findings, written := writers.Find(snapshot, rbac.Analyze(snapshot))
	var got []string
	for _, f := range findings {
		got = append(got, line(f))
	}
	if diff := cmp.Diff([]string{
		"proven expected kube-apiserver by api-server",
		"proven producer db by managed-fields",
		"proven producer db-publisher by managed-fields",
		"proven expected endpoint-controller by endpoints-controller",
	}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if len(coverage.Problems)+len(written.Problems) > 0 {
		t.Errorf("problems %v %v", coverage.Problems, written.Problems)
	}
}
