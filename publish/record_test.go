package publish_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/slicewright/slicewright/endpointset"
	"github.com/slicewright/slicewright/publish"
)

func TestARecordComesBackAsItWas(t *testing.T) {
	store, err := publish.NewStore(filepath.Join(t.TempDir(), "made", "for", "it"))
	if err != nil {
		t.Fatal(err)
	}
	ix := endpointset.NewIndex(endpointset.Options{})
	ix.Apply(ix.Parse(sliceOf("10.0.0.1", "10.0.0.2")))
	saved := publish.Record{
		Upstream: "web", Target: "haproxy:/run/haproxy.sock/web", Generation: 7, Hash: "abc",
		Time: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Active: ix.Service(web).Backends(),
	}
	if err := store.Save(saved); err != nil {
		t.Fatal(err)
	}
	loaded, found, err := store.Load(saved.Target)
	if err != nil || !found {
		t.Fatalf("found %v, error %v", found, err)
	}
	if diff := cmp.Diff(saved, loaded, cmpopts.EquateComparable(endpointset.ID{}), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("(-saved +loaded):\n%s", diff)
	}
	if _, found, err := store.Load("haproxy:/run/haproxy.sock/other"); found || err != nil {
		t.Errorf("another target: found %v, error %v", found, err)
	}
}

func TestABadRecordIsNamed(t *testing.T) {
	for name, content := range map[string]string{
		"cut":             `{"apiVersion":"slicewright.dev/v1alpha1","kind":"Last`,
		"another version": `{"apiVersion":"slicewright.dev/v9","kind":"LastKnownGood","target":"x"}`,
		"another target":  `{"apiVersion":"slicewright.dev/v1alpha1","kind":"LastKnownGood","target":"y"}`,
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			store, err := publish.NewStore(dir)
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(dir, "x.json")
			if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
			_, found, err := store.Load("x")
			if err == nil || found || !strings.Contains(err.Error(), file) {
				t.Errorf("found %v, error %v", found, err)
			}
		})
	}
}

// Targets differ in characters that file names cannot have, and in length.
func TestEveryTargetHasAFileOfItsOwn(t *testing.T) {
	store, err := publish.NewStore(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	targets := []string{"a/b", "a_b", "a:b", "a_2fb", "../../x", strings.Repeat("long/", 100), strings.Repeat("long/", 100) + "er"}
	for i, target := range targets {
		if err := store.Save(publish.Record{Target: target, Generation: uint64(i)}); err != nil {
			t.Fatalf("%q: %v", target, err)
		}
	}
	for i, target := range targets {
		if r, found, err := store.Load(target); err != nil || !found || r.Generation != uint64(i) {
			t.Errorf("%q: %+v, found %v, error %v", target, r, found, err)
		}
	}
}
