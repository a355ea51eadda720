package writers_test

import (
	"bytes"
	"os"
	"testing"

	"github.com/slicewright/slicewright/app/internal/find/manifests"
	"github.com/slicewright/slicewright/app/internal/find/rbac"
	"github.com/slicewright/slicewright/app/internal/find/writers"
)

// Whatever was read: no panic, and no finding without evidence.
func FuzzFind(f *testing.F) {
	for _, path := range []string{"testdata/cluster.yaml", "testdata/recorded-v1.37.2.yaml"} {
		text, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 64<<10 {
			t.Skip()
		}
		snapshot, _ := manifests.ReadStream("in", bytes.NewReader(data), manifests.Options{})
		analysis := rbac.Analyze(snapshot)
		findings, _ := writers.Find(snapshot, analysis)
		for _, finding := range append(analysis.Findings, findings...) {
			if len(finding.Evidence) == 0 || finding.Subject.Application == "" || finding.Confidence == "" || finding.Class == "" {
				t.Errorf("finding %+v", finding)
			}
		}
		for _, patch := range analysis.Patches {
			_ = patch.YAML()
		}
	})
}
