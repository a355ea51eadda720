package find

import (
	"encoding/json"
	"testing"

	"github.com/slicewright/slicewright/app/internal/cli/clitest"
	"github.com/slicewright/slicewright/app/internal/find/evidence"
	"github.com/slicewright/slicewright/app/internal/find/registry"
)

// What this repository itself does with Endpoints it does on purpose, and says so
// where it does it.
func TestTheRepositoryAcknowledgesWhatItDoes(t *testing.T) {
	if testing.Short() {
		t.Skip("reads the whole repository with types")
	}
	got := runFind(t, "", "--source", clitest.ProjectFolder, "-o", "json")
	var r registry.Registry
	if err := json.Unmarshal([]byte(got.out), &r); err != nil {
		t.Fatalf("%v: exit %d: %s", err, got.code, got.errors)
	}
	places := 0
	for _, e := range r.Entries {
		places += len(e.Evidence)
		if e.Status != evidence.Acknowledged {
			for _, ev := range e.Evidence {
				t.Errorf("%s is %s; one of its places is not acknowledged where it stands: %s %s", e.Application, e.Status, ev.Detector, ev.Locator)
			}
		}
	}
	// A scan that finds nothing here has not looked.
	if places < 5 {
		t.Errorf("%d places: shadow and find alone have more", places)
	}
}
