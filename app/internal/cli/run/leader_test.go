package run

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/slicewright/slicewright/app/internal/config"
	"github.com/slicewright/slicewright/publish"
)

func electing(t *testing.T) *runner {
	t.Helper()
	fleet, err := publish.NewFleet()
	if err != nil {
		t.Fatal(err)
	}
	return &runner{
		conf:   &config.Config{Leader: &config.Leader{Namespace: "shop", Name: "slicewright"}},
		logger: slog.New(slog.DiscardHandler),
		fleet:  fleet,
	}
}

func waitUntil(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !holds(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not within 30 s: %s", what)
		}
	}
}

func holder(t *testing.T, client kubernetes.Interface) string {
	t.Helper()
	lease, err := client.CoordinationV1().Leases("shop").Get(context.WithoutCancel(t.Context()), "slicewright", metav1.GetOptions{})
	if err != nil || lease.Spec.HolderIdentity == nil {
		return ""
	}
	return *lease.Spec.HolderIdentity
}

// One replica leads. Told to end, it gives the Lease back after its publishers
// have ended, and the other takes over at once.
func TestALeaderHandsOver(t *testing.T) {
	client := fake.NewClientset()
	start := func() (r *runner, end func() error) {
		r = electing(t)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- r.lead(ctx, client) }()
		return r, func() error { cancel(); return <-done }
	}
	first, endFirst := start()
	waitUntil(t, "the first leads", first.leading.Load)
	second, endSecond := start()
	if second.leading.Load() {
		t.Error("both lead")
	}
	if err := endFirst(); err != nil {
		t.Errorf("the first ends with %v", err)
	}
	waitUntil(t, "the second leads", second.leading.Load)
	if err := endSecond(); err != nil {
		t.Errorf("the second ends with %v", err)
	}
	if h := holder(t, client); h != "" {
		t.Errorf("the Lease is still held by %q", h)
	}
}

// A standby that never led ends when told to.
func TestAStandbyEnds(t *testing.T) {
	client := fake.NewClientset()
	leader := electing(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- leader.lead(ctx, client) }()
	waitUntil(t, "the leader leads", leader.leading.Load)

	standby := electing(t)
	standbyCtx, cancelStandby := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- standby.lead(standbyCtx, client) }()
	cancelStandby()
	if err := <-ended; err != nil {
		t.Errorf("the standby ends with %v", err)
	}
	if h := holder(t, client); h == "" || strings.Contains(h, " ") {
		t.Errorf("the Lease is held by %q", h)
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}
