package store_test

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/slicewright/slicewright/app/internal/timeline"
	"github.com/slicewright/slicewright/app/internal/timeline/store"
	"github.com/slicewright/slicewright/app/internal/timeline/timelinetest"
	"github.com/slicewright/slicewright/endpointset"
)

func create(t *testing.T, path string, run store.Run) *store.Writer {
	t.Helper()
	w, err := store.Create(t.Context(), path, run)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func write(t *testing.T, w *store.Writer, events []timeline.Event) {
	t.Helper()
	for _, ev := range events {
		if err := w.Append(t.Context(), ev); err != nil {
			t.Fatal(err)
		}
	}
}

func closeWriter(t *testing.T, w *store.Writer) {
	t.Helper()
	if err := w.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func open(t *testing.T, path string) *store.Reader {
	t.Helper()
	r, err := store.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

func read(t *testing.T, r *store.Reader, since, until time.Time) []timeline.Event {
	t.Helper()
	var events []timeline.Event
	for ev, err := range r.Events(t.Context(), since, until) {
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, ev)
	}
	return events
}

// withoutGone leaves out what a deleted slice held: the reader knows it from
// what came before, and the database does not repeat it.
func withoutGone(events []timeline.Event) []timeline.Event {
	list := make([]timeline.Event, len(events))
	for i, ev := range events {
		if ev.Slice != nil && ev.Op.Gone() {
			change := *ev.Slice
			change.Endpoints = nil
			ev.Slice = &change
		}
		list[i] = ev
	}
	return list
}

func TestEveryKindOfEventIsReadBackAsItWas(t *testing.T) {
	events := append(timelinetest.Rollout(), timelinetest.MustParse(`
		70s slice web-9 10.0.0.1=a:-/-/-
		71s slice web-9 gone
		72s service web publishNotReady
		73s service web gone
		74s gap pods 73.5s kept the API server ended the watch`)...)
	for i := range events {
		events[i].Seq = int64(i + 1)
	}
	path := filepath.Join(t.TempDir(), "r.db")
	w := create(t, path, store.Run{Source: "test", Scope: "services t/web", Started: timelinetest.Start})
	write(t, w, events)
	closeWriter(t, w)
	if diff := cmp.Diff(withoutGone(events), read(t, open(t, path), time.Time{}, time.Time{})); diff != "" {
		t.Errorf("(-written +read):\n%s", diff)
	}
	info, err := open(t, path).Info(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(info.Runs) != 1 || info.Runs[0].Ended.IsZero() || !info.Until.Equal(timelinetest.At("74s")) || !info.From.Equal(timelinetest.Start) {
		t.Errorf("the recording says of itself: %+v", info)
	}
}

// TestStateAtATimeIsTheFoldUpToIt is the law behind "at TIME": reading from
// the segment that holds T gives what folding every event up to T gives.
func TestStateAtATimeIsTheFoldUpToIt(t *testing.T) {
	folder := t.TempDir()
	n := 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		path := filepath.Join(folder, fmt.Sprintf("%d.db", n))
		var events []timeline.Event
		for i := range rapid.IntRange(1, 4).Draw(rt, "pieces") {
			for _, ev := range timelinetest.Rollout()[:rapid.IntRange(1, 40).Draw(rt, "length")] {
				ev.At = ev.At.Add(time.Duration(i) * time.Minute)
				events = append(events, ev)
			}
		}
		all := timeline.NewState()
		var applied []timeline.Event
		for i := 0; i < len(events); {
			// Each run begins a segment of its own, with the state restated.
			w, err := store.Create(t.Context(), path, store.Run{Source: "test"})
			if err != nil {
				rt.Fatal(err)
			}
			for range rapid.IntRange(1, 60).Draw(rt, "run") {
				if i == len(events) {
					break
				}
				ev := events[i]
				if ev.Slice != nil { // a difference from what is there, not from what was
					ev.Slice = again(all, ev)
				}
				if ev.Slice != nil || ev.Pod != nil || ev.Service != nil || ev.Gap != nil || ev.Observation != nil {
					if err := w.Append(t.Context(), ev); err != nil {
						rt.Fatal(err)
					}
					all.Apply(ev)
					applied = append(applied, ev)
				}
				i++
			}
			if err := w.Close(t.Context()); err != nil {
				rt.Fatal(err)
			}
		}
		at := timelinetest.Start.Add(time.Duration(rapid.IntRange(0, 240).Draw(rt, "at")) * time.Second)
		want := timeline.NewState()
		for _, ev := range applied {
			if !ev.At.After(at) {
				want.Apply(ev)
			}
		}
		r, err := store.Open(t.Context(), path)
		if err != nil {
			rt.Fatal(err)
		}
		defer r.Close()
		got := timeline.NewState()
		for ev, err := range r.Events(t.Context(), at, at) {
			if err != nil {
				rt.Fatal(err)
			}
			got.Apply(ev)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			rt.Fatalf("at %s (-folded +read):\n%s", at, diff)
		}
	})
}

// again restates a slice's whole content as a change of the given state.
func again(state *timeline.State, ev timeline.Event) *timeline.SliceChange {
	if ev.Op.Gone() {
		return state.SliceEnd(ev.Slice.Key)
	}
	whole := &timeline.Slice{
		SliceHeader: ev.Slice.SliceHeader, ResourceVersion: ev.Slice.ResourceVersion, Entries: map[timeline.EntryKey]timeline.Endpoint{},
	}
	for _, e := range ev.Slice.Endpoints {
		if !e.Removed {
			whole.Entries[e.EntryKey] = e.Endpoint
		}
	}
	return state.SliceChange(whole.Object())
}

func TestOtherFilesAreRefused(t *testing.T) {
	folder := t.TempDir()
	path := func(name string) string { return filepath.Join(folder, name) }
	text := path("text.db")
	if err := os.WriteFile(text, []byte(strings.Repeat("no database at all\n", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	change := func(name, statement string) string {
		closeWriter(t, create(t, path(name), store.Run{Source: "test"}))
		db, err := sql.Open("sqlite", path(name))
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		if _, err := db.Exec(statement); err != nil {
			t.Fatal(err)
		}
		return path(name)
	}
	other := filepath.Join(folder, "theirs.db")
	if db, err := sql.Open("sqlite", other); err != nil {
		t.Fatal(err)
	} else if _, err := db.Exec("CREATE TABLE theirs (x)"); err != nil {
		t.Fatal(err)
	} else if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, path string
		is         error
		says       string
	}{
		{"text", text, store.ErrNotARecording, "text.db"},
		{"another program's database", change("other.db", "PRAGMA application_id = 7"), store.ErrNotARecording, "another program"},
		{"one that no recorder has opened", other, store.ErrNotARecording, "another program"},
		{"a later schema", change("later.db", "PRAGMA user_version = 2"), store.ErrVersion, "version 2, this program reads version 1"},
		{"nothing", path("nothing.db"), os.ErrNotExist, "nothing.db"},
		{"a folder", folder, nil, "not a regular file"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := store.Open(t.Context(), tt.path)
			if err == nil || tt.is != nil && !errors.Is(err, tt.is) || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("reading: %v, want %v that says %q", err, tt.is, tt.says)
			}
			if tt.name == "nothing" {
				return
			}
			before, _ := os.ReadFile(tt.path) // none of a folder
			if _, err := store.Create(t.Context(), tt.path, store.Run{}); err == nil || tt.is != nil && !errors.Is(err, tt.is) {
				t.Errorf("writing: %v, want %v", err, tt.is)
			}
			if after, _ := os.ReadFile(tt.path); !bytes.Equal(before, after) {
				t.Error("the file was changed")
			}
		})
	}
}

func TestARecordingGoesOnOnlyWithItsScope(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.db")
	closeWriter(t, create(t, path, store.Run{Source: "test", Scope: "services t/web"}))
	_, err := store.Create(t.Context(), path, store.Run{Source: "test", Scope: "services t/other"})
	if err == nil || !strings.Contains(err.Error(), "use another file") {
		t.Errorf("got %v", err)
	}
}

func TestTheNewerOfTwoRecordersStays(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.db")
	older := create(t, path, store.Run{Source: "older"})
	newer := create(t, path, store.Run{Source: "newer"})
	write(t, newer, []timeline.Event{service(1)})
	if err := newer.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := older.Commit(t.Context()); !errors.Is(err, store.ErrTakenOver) {
		t.Errorf("the older one commits: %v, want %v", err, store.ErrTakenOver)
	}
	if err := older.Close(t.Context()); !errors.Is(err, store.ErrTakenOver) {
		t.Errorf("the older one closes: %v, want %v", err, store.ErrTakenOver)
	}
	closeWriter(t, newer)
	if n := count(t, path); n != 1 {
		t.Errorf("%d events, want the newer one's 1", n)
	}
}

func TestReadingWhileItIsWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.db")
	w := create(t, path, store.Run{Source: "test"})
	defer closeWriter(t, w)
	for n := 1; n <= 50; n++ {
		write(t, w, []timeline.Event{service(n)})
		if n%10 == 0 {
			if err := w.Commit(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got := count(t, path); got != n {
				t.Fatalf("%d events are seen, %d are committed", got, n)
			}
		}
	}
}

// TestMaxSizeDropsTheOldest writes several times what is allowed. The file must
// stay within it, and what is left must be the newest, with the whole state.
func TestMaxSizeDropsTheOldest(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.db")
	w := create(t, path, store.Run{Source: "test", MaxSize: store.MinSize})
	steady := timeline.Event{At: time.UnixMicro(1).UTC(), Op: timeline.Added, Service: &timeline.Service{Key: endpointset.ServiceKey{Namespace: "t", Name: "steady"}}}
	write(t, w, []timeline.Event{steady})
	detail := strings.Repeat("x", 400)
	const total = 160_000 // some 80 MiB
	for n := 2; n <= total; n++ {
		at := time.UnixMicro(int64(n)).UTC()
		write(t, w, []timeline.Event{{At: at, Observation: &timeline.Observation{Consumer: "c", Kind: timeline.Failure, First: at, Last: at, Count: int64(n), Detail: detail}}})
		if n%200 == 0 {
			if err := w.Commit(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if n%20_000 == 0 {
			if size := sizeOf(t, path); size > store.MinSize {
				t.Fatalf("after %d events the recording has %d bytes, allowed are %d", n, size, store.MinSize)
			}
		}
	}
	closeWriter(t, w)
	r := open(t, path)
	events := read(t, r, time.Time{}, time.Time{})
	if first := events[0]; first.Op != timeline.Restated || first.Service == nil || first.Service.Key.Name != "steady" {
		t.Errorf("what is left begins with %+v, want the Service restated", first)
	}
	kept := 0
	last := int64(0)
	for _, ev := range events {
		if ev.Observation == nil {
			continue
		}
		if last != 0 && ev.Observation.Count != last+1 {
			t.Fatalf("%d follows %d", ev.Observation.Count, last)
		}
		last = ev.Observation.Count
		kept++
	}
	if last != total || kept < total/10 || kept > total/2 {
		t.Errorf("%d of %d are kept, the last is %d", kept, total, last)
	}
	info, err := r.Info(t.Context())
	if err != nil || !info.Trimmed {
		t.Errorf("trimmed: %v, %v; want true", info.Trimmed, err)
	}
}

// sizeOf is what the recording takes on disk, its log included.
func sizeOf(t testing.TB, path string) int64 {
	t.Helper()
	var size int64
	for _, p := range []string{path, path + "-wal"} {
		if info, err := os.Stat(p); err == nil {
			size += info.Size()
		}
	}
	return size
}

func TestATooSmallMaxSizeIsRefused(t *testing.T) {
	if _, err := store.Create(t.Context(), filepath.Join(t.TempDir(), "r.db"), store.Run{MaxSize: 1 << 20}); err == nil {
		t.Error("1 MiB was accepted")
	}
}
