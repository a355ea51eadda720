package record

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/slicewright/slicewright/app/internal/timeline"
	"github.com/slicewright/slicewright/app/internal/timeline/store"
	"github.com/slicewright/slicewright/endpointset"
)

// memory is a Sink that keeps the events.
type memory struct {
	state  *timeline.State
	events []timeline.Event
}

func newMemory() *memory { return &memory{state: timeline.NewState()} }

func (m *memory) State() *timeline.State { return m.state }

func (m *memory) Append(_ context.Context, ev timeline.Event) error {
	ev.Seq = int64(len(m.events) + 1)
	if ev.At.Before(m.Until()) {
		ev.At = m.Until()
	}
	m.events = append(m.events, ev)
	m.state.Apply(ev)
	return nil
}

func (m *memory) Until() time.Time {
	if len(m.events) == 0 {
		return time.Time{}
	}
	return m.events[len(m.events)-1].At
}

// TestVectorRecording imports a real watch stream and looks at what is left.
func TestVectorRecording(t *testing.T) {
	f, err := os.Open("testdata/vector-watch.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	sink := newMemory()
	n, err := Import(t.Context(), sink, Source{"vector-watch.jsonl", f})
	if err != nil {
		t.Fatal(err)
	}
	if n != 73 { // 74 lines, one of them a bookmark
		t.Errorf("%d documents, want 73", n)
	}
	states := map[string]int{}
	for _, s := range sink.state.Slices {
		for _, e := range s.Entries {
			states[e.Conditions.String()]++
		}
	}
	want := map[string]int{"T/T/F": 237, "F/T/T": 1, "F/F/F": 1}
	if diff := cmp.Diff(want, states); diff != "" {
		t.Errorf("endpoints at the end, by conditions (-want +got):\n%s", diff)
	}
	changes := 0
	for _, ev := range sink.events {
		changes += len(ev.Slice.Endpoints)
	}
	// The stream repeats 3,719 endpoints; only what changed is kept.
	if changes > 400 {
		t.Errorf("%d endpoint changes kept: deltas were expected, not whole slices", changes)
	}
}

func TestStoreKeepsWhatWasImported(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a?b#c%20.db") // a path is no URL
	w, err := store.Create(t.Context(), path, store.Run{Source: "test"})
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Open("testdata/vector-watch.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	want := newMemory()
	if _, err := Import(t.Context(), want, Source{"w", f}); err != nil {
		t.Fatal(err)
	}
	for _, ev := range want.events {
		if err := w.Append(t.Context(), ev); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	r, err := store.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var got []timeline.Event
	for ev, err := range r.Events(t.Context(), time.Time{}, time.Time{}) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, ev)
	}
	if diff := cmp.Diff(want.events, got); diff != "" {
		t.Errorf("events read back differ (-imported +read):\n%s", diff)
	}
}

const oneSlice = `{"kind":"EndpointSlice","metadata":{"namespace":"t","name":"web-1","resourceVersion":"RV","labels":{"kubernetes.io/service-name":"web"}},"addressType":"IPv4","endpoints":[{"addresses":["10.0.0.1"]}],"ports":[{"name":"http","port":8080}]}`

func TestImportForms(t *testing.T) {
	slice := strings.ReplaceAll(oneSlice, "RV", "5")
	key := endpointset.SliceKey{Namespace: "t", Name: "web-1"}
	tests := []struct {
		name   string
		input  string
		events []string
		left   bool // the slice is still there
		err    string
	}{
		{"nothing", "", nil, false, ""},
		{"a watch event", `{"type":"ADDED","object":` + slice + `}`, []string{"added"}, true, ""},
		{"a bare object", slice, []string{"listed"}, true, ""},
		{"the same write twice", slice + slice, []string{"listed"}, true, ""},
		{"a delete", `{"type":"ADDED","object":` + slice + `}{"type":"DELETED","object":` + slice + `}`, []string{"added", "deleted"}, false, ""},
		{"a list", `{"kind":"List","items":[` + slice + `]}`, []string{"listed"}, true, ""},
		{"a typed list without kinds", `{"kind":"EndpointSliceList","items":[` + strings.Replace(slice, `"kind":"EndpointSlice",`, "", 1) + `]}`, []string{"listed"}, true, ""},
		{"a list in the middle is a gap and replaces", slice + `{"kind":"EndpointSliceList","items":[]}`, []string{"listed", "gap", "missing"}, false, ""},
		{"an untyped empty list empties what was seen", slice + `{"kind":"List","items":[]}`, []string{"listed", "gap", "missing"}, false, ""},
		{"an error is a gap", slice + `{"type":"ERROR","object":{"kind":"Status","message":"too old resource version","code":410}}`, []string{"listed", "gap"}, true, ""},
		{"bookmarks are nothing", `{"type":"BOOKMARK","object":{"kind":"EndpointSlice"}}`, nil, false, ""},
		{"a cut-off line keeps what came before", slice + slice[:40], []string{"listed"}, true, "document 2"},
		{"another kind", `{"kind":"Endpoints","metadata":{"name":"web"}}`, nil, false, `kind "Endpoints" is not recorded`},
		{"no JSON", "NAME  ADDRESSTYPE", nil, false, "document 1"},
		{"an unknown type of event", `{"type":"LOST","object":{}}`, nil, false, `event of type "LOST"`},
		{"a nameless slice", `{"kind":"EndpointSlice","metadata":{}}`, nil, false, "has no name"},
		{"a wrong type inside", `{"kind":"EndpointSlice","metadata":{"name":"x","namespace":"t"},"endpoints":7}`, nil, false, "EndpointSlice t/x"},
		{"an array", `[]`, nil, false, "document 1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			sink := newMemory()
			_, err := Import(t.Context(), sink, Source{"f", strings.NewReader(tt.input)})
			switch {
			case tt.err == "" && err != nil:
				t.Fatal(err)
			case tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err)):
				t.Errorf("error %v, want one with %q", err, tt.err)
			}
			var got []string
			for _, ev := range sink.events {
				if ev.Gap != nil {
					got = append(got, "gap")
				} else {
					got = append(got, ev.Op.String())
				}
			}
			if diff := cmp.Diff(tt.events, got); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
			if _, left := sink.state.Slices[key]; left != tt.left {
				t.Errorf("slice there: %v, want %v", left, tt.left)
			}
		})
	}
}

func TestReceivedAtIsTheMomentAndSourcesAreMerged(t *testing.T) {
	slices := `{"receivedAt":"2026-11-30T10:00:02.5Z","type":"ADDED","object":` + oneSlice + `}`
	pods := `{"receivedAt":"2026-11-30T10:00:01Z","type":"ADDED","object":{"kind":"Pod","metadata":{"namespace":"t","name":"p","uid":"u"}}}
		{"receivedAt":"2026-11-30T10:00:02.5Z","type":"MODIFIED","object":{"kind":"Pod","metadata":{"namespace":"t","name":"p","uid":"u"},"status":{"phase":"Running"}}}`
	sink := newMemory()
	if _, err := Import(t.Context(), sink, Source{"slices", strings.NewReader(slices)}, Source{"pods", strings.NewReader(pods)}); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, ev := range sink.events {
		what := "slice"
		if ev.Pod != nil {
			what = "pod"
		}
		got = append(got, ev.At.Format("05.0 ")+ev.Clock.String()+" "+what)
	}
	want := []string{"01.0 received pod", "02.5 received pod", "02.5 received slice"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// FuzzImport: whatever is read, there is an error or a state, never a panic.
func FuzzImport(f *testing.F) {
	f.Add(oneSlice)
	f.Add(`{"type":"ERROR","object":null}`)
	f.Add(`{"kind":"List","items":[null,{}]}`)
	f.Add(`{"type":"ADDED","object":{"kind":"Pod","metadata":{"name":"p","deletionTimestamp":"2026-01-01T00:00:00Z","deletionGracePeriodSeconds":-9223372036854775808}}}`)
	f.Fuzz(func(t *testing.T, input string) {
		sink := newMemory()
		_, _ = Import(t.Context(), sink, Source{"f", strings.NewReader(input)})
		var b timeline.Builder
		for _, ev := range sink.events {
			b.Add(ev)
		}
		if len(sink.events) > 0 {
			timeline.Findings(b.Build(time.Time{}), timeline.Options{})
		}
	})
}

// BenchmarkImport reads a real stream: JSON, differences and events.
func BenchmarkImport(b *testing.B) {
	text, err := os.ReadFile("testdata/vector-watch.jsonl")
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(text)))
	documents, began := 0, cpuTime()
	for b.Loop() {
		n, err := Import(b.Context(), newMemory(), Source{"w", strings.NewReader(string(text))})
		if err != nil {
			b.Fatal(err)
		}
		documents += n
	}
	b.ReportMetric(float64(documents)/(cpuTime()-began).Minutes(), "events/cpu-min")
}

// cpuTime is what the process has used of one core: on a machine that others use
// too, the clock on the wall says little.
func cpuTime() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		panic(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
