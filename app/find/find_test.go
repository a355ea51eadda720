package find_test

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"testing"

	"github.com/slicewright/slicewright/app/find"
)

const document = `apiVersion: slicewright.dev/v1alpha1
kind: ConsumerRegistry
entries:
- key: workload/Deployment/prod/upstream-sync
  application: upstream-sync
  owner: "@edge"
  class: reader
  confidence: proven
  status: unmigrated
  evidence: [{source: audit, detector: audit/request, locator: 0bf7a3d9, count: 3, verb: watch}]
- key: user/system:kube-controller-manager
  application: kube-controller-manager
  owner: ""
  class: expected
  confidence: proven
  status: unmigrated
coverage: [{source: audit, read: 173, skipped: 0}]
`

func ExampleParse() {
	r, err := find.Parse([]byte(document))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, e := range r.Entries {
		if e.Consumer() && e.Status == find.Unmigrated {
			fmt.Println(e.Owner, e.Application, e.Confidence, e.Evidence[0].Verb)
		}
	}
	// Output:
	// @edge upstream-sync proven watch
}

func TestAMissingFileCanBeToldFromABrokenOne(t *testing.T) {
	if _, err := find.Load(filepath.Join(t.TempDir(), "none.yaml")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the error is %v", err)
	}
	if _, err := find.Parse([]byte("kind: List\n")); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("another kind gives the error %v", err)
	}
}
