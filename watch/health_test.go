package watch

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// What a list at once will settle is no outage; anything else is, once.
func TestHealthOfASource(t *testing.T) {
	var log bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&log, nil))
	s := newSource("", logger)
	broken := errors.New("connection refused")
	var got []bool
	for _, err := range []error{
		nil,
		apierrors.NewResourceExpired("compacted"),
		apierrors.NewGone("gone"),
		apierrors.NewInvalid(schema.GroupKind{}, "", nil),
		broken,
		broken,
		apierrors.NewResourceExpired("compacted"),
		nil,
		nil,
	} {
		s.observe(context.Background(), err)
		got = append(got, s.health().Degraded)
	}
	if diff := cmp.Diff([]bool{false, false, false, false, true, true, true, false, false}, got); diff != "" {
		t.Errorf("degraded (-want +got):\n%s", diff)
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	s.observe(ended, broken)
	if s.health().Degraded {
		t.Error("a call that we ended is an outage")
	}
	var lines []string
	for line := range strings.Lines(log.String()) {
		_, line, _ = strings.Cut(strings.TrimSpace(line), "level=")
		lines = append(lines, line)
	}
	if diff := cmp.Diff([]string{
		`WARN msg="cannot read EndpointSlices: what was published stays, and it is tried again" namespace=(all) err="connection refused"`,
		`INFO msg="EndpointSlices can be read again" namespace=(all)`,
	}, lines); diff != "" {
		t.Errorf("logged (-want +got):\n%s", diff)
	}
}
