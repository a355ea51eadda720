package record

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/slicewright/slicewright/app/internal/timeline"
	"github.com/slicewright/slicewright/app/internal/timeline/store"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// clockOf is a clock that goes a millisecond further whenever it is read: the
// moments of a test are orderly, and never equal.
func clockOf() func() time.Time {
	var mu sync.Mutex
	now := time.Date(2026, 11, 30, 10, 0, 0, 0, time.UTC)
	return func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		now = now.Add(time.Millisecond)
		return now
	}
}

// session is a recording that runs against a scripted server.
type session struct {
	t        *testing.T
	path     string
	stop     context.CancelFunc
	done     chan error
	progress chan Progress
	// observed is what consumers were seen to do.
	observed chan timeline.Observation
}

func begin(t *testing.T, server *scriptedServer, scope Scope) *session {
	t.Helper()
	return resume(t, server, scope, filepath.Join(t.TempDir(), "r.db"))
}

func resume(t *testing.T, server *scriptedServer, scope Scope, path string) *session {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	s := &session{t: t, path: path, stop: stop, done: make(chan error, 1), progress: make(chan Progress, 10000), observed: make(chan timeline.Observation, 10)}
	now := clockOf()
	w, err := store.Create(ctx, path, store.Run{Source: "test", Scope: scope.String(), Started: now()})
	if err != nil {
		t.Fatal(err)
	}
	cluster := Cluster{
		Client: server.client(t), Scope: scope, Now: now, Log: slog.New(slog.DiscardHandler),
		Progress: func(p Progress) { s.progress <- p }, Observations: s.observed,
	}
	go func() {
		err := cluster.Record(ctx, w)
		if closeErr := w.Close(context.WithoutCancel(ctx)); err == nil {
			err = closeErr
		}
		s.done <- err
	}()
	return s
}

// until waits for a commit after which the recording is as far as asked.
func (s *session) until(what string, far func(Progress) bool) {
	s.t.Helper()
	late := time.After(time.Minute)
	for {
		select {
		case p := <-s.progress:
			if far(p) {
				return
			}
		case err := <-s.done:
			s.t.Fatalf("waiting for %s, the recording ended: %v", what, err)
		case <-late:
			s.t.Fatalf("waiting for %s took too long", what)
		}
	}
}

// end stops the recording and returns its events in words.
func (s *session) end() []string {
	s.t.Helper()
	s.stop()
	if err := <-s.done; err != nil {
		s.t.Fatal(err)
	}
	r, err := store.Open(s.t.Context(), s.path)
	if err != nil {
		s.t.Fatal(err)
	}
	defer r.Close()
	var list []string
	for ev, err := range r.Events(s.t.Context(), time.Time{}, time.Time{}) {
		if err != nil {
			s.t.Fatal(err)
		}
		if ev.Op != timeline.Restated {
			list = append(list, inWords(ev))
		}
	}
	return list
}

func inWords(ev timeline.Event) string {
	switch {
	case ev.Slice != nil:
		var changes []string
		for _, e := range ev.Slice.Endpoints {
			sign := "+"
			if e.Removed {
				sign = "-"
			}
			changes = append(changes, sign+e.Address)
		}
		return strings.TrimSpace(fmt.Sprintf("slice %s %s %s", ev.Slice.Key.Name, ev.Op, strings.Join(changes, " ")))
	case ev.Pod != nil:
		return fmt.Sprintf("pod %s %s ready=%s", ev.Pod.Name, ev.Op, ev.Pod.Ready)
	case ev.Service != nil:
		return fmt.Sprintf("service %s %s", ev.Service.Key.Name, ev.Op)
	case ev.Gap != nil && ev.Gap.To.IsZero():
		return fmt.Sprintf("gap %s begins", ev.Gap.Resource)
	case ev.Gap != nil:
		return fmt.Sprintf("gap %s lost=%v %s", ev.Gap.Resource, ev.Gap.Lost, ev.Gap.Reason)
	case ev.Observation != nil:
		return fmt.Sprintf("%s by %s to %s", ev.Observation.Kind, ev.Observation.Consumer, ev.Observation.Address)
	}
	return "?"
}

func check(t *testing.T, got []string, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

var web = Scope{Namespace: "t", Services: []string{"web"}}

// serveWeb makes a server with one Service, its slice and Pod, and others that
// do not belong.
func serveWeb(t *testing.T) *scriptedServer {
	server := newScriptedServer(t)
	server.set("services", serviceJSON("web", 1, ""), serviceJSON("other", 2, ""))
	server.set("endpointslices", sliceJSON("web-1", "web", 3, "10.0.0.1=a"), sliceJSON("other-1", "other", 4, "10.0.0.9=z"))
	server.set("pods", podJSON("a", "web", "10.0.0.1", 5, "True"), podJSON("z", "other", "10.0.0.9", 6, "True"))
	return server
}

// afterLists is what serveWeb's lists give, followed by more.
func afterLists(more ...string) []string {
	return append([]string{"service web listed", "slice web-1 listed +10.0.0.1", "pod a listed ready=T"}, more...)
}

func TestChangesOfTheServiceAreRecordedAndNoOthers(t *testing.T) {
	server := serveWeb(t)
	s := begin(t, server, web)
	server.send("pods", "MODIFIED", podJSON("a", "web", "10.0.0.1", 200, "False"))
	server.send("pods", "MODIFIED", podJSON("z", "other", "10.0.0.9", 201, "False"))
	s.until("the Pods' changes", func(p Progress) bool { return p.Events == 2 })
	server.send("endpointslices", "MODIFIED", sliceJSON("web-1", "web", 202, "10.0.0.2=z"))
	server.send("endpointslices", "MODIFIED", sliceJSON("other-1", "other", 203, "10.0.0.8=y"))
	server.send("endpointslices", "BOOKMARK", `{"kind":"EndpointSlice","apiVersion":"discovery.k8s.io/v1","metadata":{"resourceVersion":"250"}}`)
	s.until("the slices' changes", func(p Progress) bool { return p.Events == 4 })
	server.send("pods", "DELETED", podJSON("a", "web", "10.0.0.1", 204, "False"))
	s.until("the end of the Pod", func(p Progress) bool { return p.Events == 5 })
	server.send("endpointslices", "DELETED", sliceJSON("web-1", "web", 205))
	s.until("the end of the slice", func(p Progress) bool { return p.Events == 6 })
	check(t, s.end(), afterLists(
		"pod a modified ready=F",
		"slice web-1 modified -10.0.0.1 +10.0.0.2",
		// Named by the slice, it belongs now, as it was last seen.
		"pod z listed ready=F",
		"pod a deleted ready=F",
		"slice web-1 deleted",
	)...)
}

// TestObservationsAreRecordedWithTheChanges: those too that still wait when the
// recording is told to end.
func TestObservationsAreRecordedWithTheChanges(t *testing.T) {
	server := serveWeb(t)
	s := begin(t, server, web)
	s.until("the lists", func(p Progress) bool { return p.Slices == 1 && p.Pods == 1 })
	o := timeline.Observation{Consumer: "lb", Namespace: "t", Service: "web", Address: "10.0.0.1", Kind: timeline.Connection, Count: 1}
	s.observed <- o
	for len(s.observed) > 0 {
		s.until("a commit", func(Progress) bool { return true })
	}
	o.Kind, o.Address = timeline.Failure, ""
	s.observed <- o // and at once the end
	check(t, s.end(), afterLists("connection by lb to 10.0.0.1", "failure by lb to ")...)
}

// TestALostWatchIsAGap: after 410 Gone only a list can tell what is; what it
// shows has no moment, and between the two anything can have happened.
func TestALostWatchIsAGap(t *testing.T) {
	server := serveWeb(t)
	s := begin(t, server, web)
	s.until("the lists", func(p Progress) bool { return p.Slices == 1 && p.Pods == 1 })
	server.set("endpointslices", sliceJSON("web-2", "web", 300, "10.0.0.3=c"))
	server.send("endpointslices", "ERROR", `{"kind":"Status","apiVersion":"v1","status":"Failure","code":410,"reason":"Expired","message":"too old resource version: 100 (300)"}`)
	s.until("the gap", func(p Progress) bool { return p.Gaps == 1 && p.Events >= 1 })
	check(t, s.end(), afterLists(
		"gap endpointslices begins",
		"gap endpointslices lost=true too old resource version: 100 (300)",
		"slice web-2 listed +10.0.0.3",
		"slice web-1 missing",
	)...)
}

// TestAnEndedWatchGoesOnWhereItStopped: nothing is lost, and the gap says so.
func TestAnEndedWatchGoesOnWhereItStopped(t *testing.T) {
	server := serveWeb(t)
	s := begin(t, server, web)
	server.send("endpointslices", "MODIFIED", sliceJSON("web-1", "web", 400, "10.0.0.1=a", "10.0.0.2=b"))
	s.until("a change", func(p Progress) bool { return p.Events == 1 })
	server.watches["endpointslices"] <- endWatch
	s.until("the gap", func(p Progress) bool { return p.Gaps == 1 })
	server.send("endpointslices", "MODIFIED", sliceJSON("web-1", "web", 401, "10.0.0.2=b"))
	s.until("a change after it", func(p Progress) bool { return p.Events == 2 })
	check(t, s.end(), afterLists(
		"slice web-1 modified +10.0.0.2",
		"gap endpointslices begins",
		"gap endpointslices lost=false the API server ended the watch",
		"slice web-1 modified -10.0.0.1",
	)...)
	from := ""
	for _, w := range server.watched() {
		if strings.HasPrefix(w, "endpointslices ") {
			from = w
		}
	}
	if from != "endpointslices 400" {
		t.Errorf("the last watch asked for %q, want it to go on at 400", from)
	}
}

// TestARecordingThatEndsInAGapSaysSo: no smooth line to the end.
func TestARecordingThatEndsInAGapSaysSo(t *testing.T) {
	server := serveWeb(t)
	s := begin(t, server, web)
	s.until("the lists", func(p Progress) bool { return p.Slices == 1 && p.Pods == 1 })
	server.fail("pods", 500)
	server.watches["pods"] <- endWatch
	// A second attempt comes after the recorder was told of the first one's end.
	for late := time.Now().Add(time.Minute); strings.Count(strings.Join(server.watched(), "\n"), "pods ") < 3; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(late) {
			t.Fatal("the watch is not tried again")
		}
	}
	check(t, s.end(), afterLists("gap pods begins", "gap pods lost=true the recording ended before the watch was back")...)
}

func TestARecorderThatDidNotRunLeavesAGap(t *testing.T) {
	server := serveWeb(t)
	first := begin(t, server, web)
	first.until("the lists", func(p Progress) bool { return p.Slices == 1 && p.Pods == 1 })
	first.end()
	server.set("endpointslices", sliceJSON("web-1", "web", 500, "10.0.0.1=a", "10.0.0.7=g"))
	second := resume(t, server, web, first.path)
	second.until("the lists", func(p Progress) bool { return p.Slices == 1 && p.Pods == 1 })
	check(t, second.end(), afterLists(
		"gap services lost=true the recorder did not run",
		"gap endpointslices lost=true the recorder did not run",
		"gap pods lost=true the recorder did not run",
		"slice web-1 listed +10.0.0.7",
	)...)
}

func TestAServiceThatComesIntoTheSelectorBringsItsSlices(t *testing.T) {
	server := serveWeb(t)
	selector, err := labels.Parse("tier=front")
	if err != nil {
		t.Fatal(err)
	}
	s := begin(t, server, Scope{Namespace: "t", Selector: selector})
	server.send("services", "MODIFIED", serviceJSON("web", 600, `"tier":"front"`))
	s.until("the Service", func(p Progress) bool { return p.Slices == 1 })
	check(t, s.end(), "service web listed", "slice web-1 listed +10.0.0.1", "pod a listed ready=T")
}

// TestAPodThatASliceNamedBeforeItWasSeen: the watch of Pods may be the later one,
// and the selector need not match.
func TestAPodThatASliceNamedBeforeItWasSeen(t *testing.T) {
	server := serveWeb(t)
	s := begin(t, server, web)
	server.send("endpointslices", "MODIFIED", sliceJSON("web-1", "web", 200, "10.0.0.1=a", "10.0.0.5=late"))
	s.until("the slice", func(p Progress) bool { return p.Events == 1 })
	server.send("pods", "ADDED", podJSON("late", "unselected", "10.0.0.5", 201, "False"))
	s.until("the Pod", func(p Progress) bool { return p.Events == 2 })
	check(t, s.end(), afterLists("slice web-1 modified +10.0.0.5", "pod late added ready=F")...)
}

func TestTheEndOfItsTimeIsNoError(t *testing.T) {
	server := serveWeb(t)
	w, err := store.Create(t.Context(), filepath.Join(t.TempDir(), "r.db"), store.Run{Source: "test", Scope: web.String()})
	if err != nil {
		t.Fatal(err)
	}
	timeout, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	cluster := Cluster{Client: server.client(t), Scope: web, Now: clockOf(), Log: slog.New(slog.DiscardHandler)}
	if err := cluster.Record(timeout, w); err != nil {
		t.Errorf("got %v", err)
	}
	if err := w.Close(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestAMissingPermissionIsNamed(t *testing.T) {
	server := serveWeb(t)
	server.fail("pods", 403)
	s := begin(t, server, web)
	err := <-s.done
	s.stop()
	if err == nil || !strings.Contains(err.Error(), "list pods in namespace t") || !strings.Contains(err.Error(), "verbs list and watch") {
		t.Errorf("got %v", err)
	}
}

// TestAServiceThatIsNotThereIsSaid: a mistyped name must not record nothing in
// silence.
func TestAServiceThatIsNotThereIsSaid(t *testing.T) {
	server := serveWeb(t)
	var log strings.Builder
	scope := Scope{Namespace: "t", Services: []string{"web", "wbe"}}
	w, err := store.Create(t.Context(), filepath.Join(t.TempDir(), "r.db"), store.Run{Source: "test", Scope: scope.String()})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cluster := Cluster{
		Client: server.client(t), Scope: scope, Now: clockOf(), Log: slog.New(slog.NewTextHandler(&log, nil)),
		Progress: func(Progress) { cancel() },
	}
	if err := cluster.Record(ctx, w); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := log.String(); !strings.Contains(got, "service=t/wbe") || strings.Contains(got, "service=t/web") {
		t.Errorf("the log says %q", got)
	}
}
