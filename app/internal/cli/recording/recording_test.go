package recording

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slicewright/slicewright/app/internal/timeline/store"
)

// What went wrong is said once, and nothing is promised that is not there.
func TestAFailedRecordingSaysItOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.db")
	var writers [2]*store.Writer
	for i := range writers {
		w, err := store.Create(t.Context(), path, store.Run{Source: "test"})
		if err != nil {
			t.Fatal(err)
		}
		writers[i] = w
	}
	failed := writers[0].Commit(t.Context()) // the second took it over
	if !errors.Is(failed, store.ErrTakenOver) {
		t.Fatal(failed)
	}
	err := Close(t.Context(), writers[0], failed)
	if err == nil || strings.Count(err.Error(), "write the recording") != 1 || !strings.Contains(err.Error(), "nothing is kept") {
		t.Errorf("it says %v", err)
	}
	if err := Close(t.Context(), writers[1], nil); err != nil {
		t.Error(err)
	}
	other := errors.New("another error")
	if err := Close(t.Context(), writers[1], other); !errors.Is(err, other) {
		t.Errorf("closed again after %v it says %v", other, err)
	}
}
