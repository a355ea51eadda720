package follow

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// What a list at once will settle is no outage; anything else is, once, until a
// word of the API server.
func TestHealthOfAFollower(t *testing.T) {
	var told []bool
	f := New(Options{Changed: func(h Health) { told = append(told, h.Degraded) }})
	broken := errors.New("connection refused")
	var got []bool
	for _, err := range []error{
		nil,
		apierrors.NewResourceExpired("compacted"),
		//lint:ignore SA1019 older API servers answer so
		apierrors.NewGone("gone"),
		apierrors.NewInvalid(schema.GroupKind{}, "", nil),
		broken,
		broken,
		apierrors.NewResourceExpired("compacted"),
		nil,
	} {
		f.note(err)
		got = append(got, f.Health().Degraded)
	}
	f.state.heard()
	got = append(got, f.Health().Degraded)
	if diff := cmp.Diff([]bool{false, false, false, false, true, true, true, true, false}, got); diff != "" {
		t.Errorf("degraded (-want +got):\n%s", diff)
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	_, end := f.bound(ended)
	if err := end(broken); err == nil || f.Health().Degraded {
		t.Error("a call that we ended is an outage")
	}
	if diff := cmp.Diff([]bool{true, false}, told); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
}
