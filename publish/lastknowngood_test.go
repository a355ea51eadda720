package publish

import (
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/slicewright/slicewright/endpointset"
)

// someBackends have every field that a file keeps: an active IPv4 backend with
// hints and a target, an active IPv6 backend, and a draining one.
func someBackends() (active, draining []endpointset.Backend) {
	backend := func(addr string, c endpointset.Conditions, slice string) endpointset.Backend {
		return endpointset.Backend{
			ID:         endpointset.ID{PortName: "http", Protocol: "TCP", Addr: netip.MustParseAddr(addr), Number: 8080},
			Conditions: c, Slice: slice,
		}
	}
	ready := endpointset.Conditions{Ready: true, Serving: true}
	first := backend("10.0.0.1", ready, "web-00000")
	first.Zone, first.Node, first.ForZones = "a", "node-1", []string{"a"}
	return []endpointset.Backend{first, backend("2001:db8::1", ready, "web-six")},
		[]endpointset.Backend{backend("10.0.0.2", endpointset.Conditions{Serving: true, Terminating: true}, "web-00000")}
}

func newStore(t *testing.T, dir string) Store {
	t.Helper()
	store, err := NewStore(dir)
	if err != nil {
		t.Fatal(err)
	}
	return store
}

var equal = cmp.Options{cmpopts.EquateComparable(netip.Addr{}), cmpopts.EquateEmpty()}

func TestALastKnownGoodComesBackAsItWas(t *testing.T) {
	store := newStore(t, filepath.Join(t.TempDir(), "made", "for", "it"))
	active, draining := someBackends()
	active[0].AppProtocol, active[0].ForNodes = "kubernetes.io/h2c", []string{"node-1", "node-2"}
	active[0].Target = endpointset.Target{Kind: "Pod", Namespace: "shop", Name: "web-1", UID: "u"}
	saved := lastKnownGood{
		Upstream: "web", Target: "haproxy:/run/haproxy.sock/web", Service: "shop/web", Port: "http", Protocol: "TCP",
		Generation: 7, Hash: "abc", Time: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
		Active: goodBackends(active), Draining: goodBackends(draining),
	}
	if err := store.save(saved); err != nil {
		t.Fatal(err)
	}
	loaded, found, err := store.load(saved.Target)
	if err != nil || !found {
		t.Fatalf("found %v, error %v", found, err)
	}
	saved.APIVersion, saved.Kind = "slicewright.dev/v1alpha2", "LastKnownGood"
	if diff := cmp.Diff(saved, loaded, equal); diff != "" {
		t.Errorf("(-saved +loaded):\n%s", diff)
	}
	for name, lists := range map[string][2][]endpointset.Backend{
		"active":   {active, backendsOf(loaded.Active)},
		"draining": {draining, backendsOf(loaded.Draining)},
	} {
		if diff := cmp.Diff(lists[0], lists[1], equal); diff != "" {
			t.Errorf("%s (-saved +loaded):\n%s", name, diff)
		}
	}
	if _, found, err := store.load("haproxy:/run/haproxy.sock/other"); found || err != nil {
		t.Errorf("another target: found %v, error %v", found, err)
	}
}

// A release before v1alpha2 wrote the file in testdata.
func TestAFileOfAnOlderVersionIsRead(t *testing.T) {
	old, err := os.ReadFile("testdata/lastknowngood-v1alpha1.json")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "balancer.json"), old, 0o600); err != nil {
		t.Fatal(err)
	}
	loaded, found, err := newStore(t, dir).load("balancer")
	if err != nil || !found {
		t.Fatalf("found %v, error %v", found, err)
	}
	active, draining := someBackends()
	want := lastKnownGood{
		APIVersion: "slicewright.dev/v1alpha1", Kind: "LastKnownGood", Upstream: "web", Target: "balancer",
		Generation: 7, Hash: "00000000000000ab", Time: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
		Active: goodBackends(active), Draining: goodBackends(draining),
	}
	if diff := cmp.Diff(want, loaded, equal); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestABadFileIsNamed(t *testing.T) {
	for name, content := range map[string]string{
		"cut":             `{"apiVersion":"slicewright.dev/v1alpha1","kind":"Last`,
		"another version": `{"apiVersion":"slicewright.dev/v9","kind":"LastKnownGood","target":"x"}`,
		"another target":  `{"apiVersion":"slicewright.dev/v1alpha1","kind":"LastKnownGood","target":"y"}`,
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			store := newStore(t, dir)
			file := filepath.Join(dir, "x.json")
			if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
			_, found, err := store.load("x")
			if err == nil || found || !strings.Contains(err.Error(), file) {
				t.Errorf("found %v, error %v", found, err)
			}
		})
	}
}

// Targets differ in characters that file names cannot have, and in length.
func TestEveryTargetHasAFileOfItsOwn(t *testing.T) {
	store := newStore(t, t.TempDir())
	targets := []string{"a/b", "a_b", "a:b", "a_2fb", "../../x", strings.Repeat("long/", 100), strings.Repeat("long/", 100) + "er"}
	for i, target := range targets {
		if err := store.save(lastKnownGood{Target: target, Generation: uint64(i)}); err != nil {
			t.Fatalf("%q: %v", target, err)
		}
	}
	for i, target := range targets {
		if r, found, err := store.load(target); err != nil || !found || r.Generation != uint64(i) {
			t.Errorf("%q: %+v, found %v, error %v", target, r, found, err)
		}
	}
}
