package watch_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	discoveryv1 "k8s.io/api/discovery/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	apiwatch "k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/cache"

	"github.com/slicewright/slicewright/endpointset"
	"github.com/slicewright/slicewright/internal/slicetest"
	"github.com/slicewright/slicewright/watch"
)

// These tests are about what the watcher does with answers; that a real API
// server gives such answers is for the lab's scenarios to show.

func TestMain(m *testing.M) {
	// One of client-go's error handlers spaces errors out by the time of the
	// last one, of the whole process: across a test's own clock that is years.
	utilruntime.ErrorHandlers = utilruntime.ErrorHandlers[:1]
	os.Exit(m.Run())
}

var web = endpointset.ServiceKey{Namespace: slicetest.Namespace, Name: "web"}

func sliceOf(name string, addresses ...string) *discoveryv1.EndpointSlice {
	es := slicetest.Service("web", 1, 1)[0]
	es.Name, es.Endpoints = name, nil
	for _, a := range addresses {
		es.Endpoints = append(es.Endpoints, discoveryv1.Endpoint{Addresses: []string{a}})
	}
	return es
}

// server is an API server of which the test holds every string.
type server struct {
	client *fake.Clientset

	mu      sync.Mutex
	items   []discoveryv1.EndpointSlice
	err     error // of every list and watch
	old     bool  // cannot stream a list
	streams []*apiwatch.FakeWatcher
}

func newServer(items ...*discoveryv1.EndpointSlice) *server {
	s := &server{client: fake.NewClientset()}
	s.set(items...)
	s.client.PrependReactor("list", "endpointslices", func(clienttesting.Action) (bool, runtime.Object, error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		return true, &discoveryv1.EndpointSliceList{Items: slices.Clone(s.items)}, s.err
	})
	s.client.PrependWatchReactor("endpointslices", func(action clienttesting.Action) (bool, apiwatch.Interface, error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.err != nil {
			return true, nil, s.err
		}
		w := apiwatch.NewFakeWithChanSize(len(s.items)+1, false)
		if initial := action.(clienttesting.WatchActionImpl).ListOptions.SendInitialEvents; initial != nil && *initial {
			if s.old {
				return true, nil, apierrors.NewInvalid(discoveryv1.SchemeGroupVersion.WithKind("ListOptions").GroupKind(), "", nil)
			}
			for i := range s.items {
				w.Add(s.items[i].DeepCopy())
			}
			w.Action(apiwatch.Bookmark, &discoveryv1.EndpointSlice{ObjectMeta: metav1.ObjectMeta{
				ResourceVersion: "1000", Annotations: map[string]string{metav1.InitialEventsAnnotationKey: "true"},
			}})
		}
		s.streams = append(s.streams, w)
		return true, w, nil
	})
	return s
}

func (s *server) set(items ...*discoveryv1.EndpointSlice) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.items = nil
	for _, es := range items {
		s.items = append(s.items, *es)
	}
}

func (s *server) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.err = err
}

// stream is the newest watch.
func (s *server) stream() *apiwatch.FakeWatcher {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.streams[len(s.streams)-1]
}

// start runs a watcher until the test ends. told gathers what it reports.
func start(t *testing.T, s *server, told func([]endpointset.Change), log *bytes.Buffer) *watch.Watcher {
	options := watch.Options{Changed: told}
	if log != nil {
		options.Logger = slog.New(slog.NewTextHandler(log, nil))
	}
	w := watch.New(s.client.DiscoveryV1(), options)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); w.Run(ctx) }()
	t.Cleanup(func() { cancel(); <-done })
	return w
}

func expect(t *testing.T, w *watch.Watcher, want ...string) {
	t.Helper()
	got := []string{}
	for _, b := range w.Index().Service(web).Backends() {
		got = append(got, b.Addr.String())
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("backends (-want +got):\n%s", diff)
	}
}

func TestTheIndexFollows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(sliceOf("a", "10.0.0.1"))
		w := start(t, s, nil, nil)
		synctest.Wait()
		expect(t, w, "10.0.0.1")
		if !w.Synced() {
			t.Error("not synced after the list")
		}
		s.stream().Add(sliceOf("b", "10.0.0.2"))
		s.stream().Modify(sliceOf("a", "10.0.0.3"))
		synctest.Wait()
		expect(t, w, "10.0.0.2", "10.0.0.3")
		bare := sliceOf("b", "10.0.0.2")
		bare.Labels = nil // a deletion need not carry the label (S17)
		s.stream().Delete(bare)
		synctest.Wait()
		expect(t, w, "10.0.0.3")
	})
}

// The gate opens with the first list, an empty one too, and not by an error.
func TestTheGate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer()
		s.fail(errors.New("connection refused"))
		told := 0
		w := start(t, s, func([]endpointset.Change) { told++ }, nil)
		time.Sleep(time.Minute)
		synctest.Wait()
		if w.Synced() || told != 0 {
			t.Fatalf("synced %v, told %d times, and nothing was ever read", w.Synced(), told)
		}
		if h := w.Health()[0]; !h.Degraded || h.Err == nil {
			t.Errorf("health is %+v", h)
		}
		s.fail(nil)
		time.Sleep(time.Minute)
		synctest.Wait()
		if !w.Synced() || told != 1 {
			t.Errorf("synced %v, told %d times, want once: an empty list opens the gate", w.Synced(), told)
		}
	})
}

// An API server that cannot stream a list is asked for a plain one, and that is
// no failure.
func TestAnOldServerIsNotDegraded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(sliceOf("a", "10.0.0.1"))
		s.old = true
		var log bytes.Buffer
		w := start(t, s, nil, &log)
		time.Sleep(time.Second)
		synctest.Wait()
		expect(t, w, "10.0.0.1")
		if h := w.Health()[0]; h.Degraded || !h.Synced || strings.Contains(log.String(), "cannot read") {
			t.Errorf("health is %+v, the log:\n%s", h, &log)
		}
	})
}

// A failed read keeps what was read, shows, and is logged once (S15).
func TestAnErrorKeepsTheSet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(sliceOf("a", "10.0.0.1"))
		var log bytes.Buffer
		w := start(t, s, nil, &log)
		synctest.Wait()
		s.fail(errors.New("forbidden"))
		s.stream().Stop()
		time.Sleep(5 * time.Minute)
		synctest.Wait()
		expect(t, w, "10.0.0.1")
		if h := w.Health()[0]; !h.Degraded || !h.Synced {
			t.Errorf("health is %+v", h)
		}
		s.set(sliceOf("a", "10.0.0.2"))
		s.fail(nil)
		time.Sleep(time.Minute)
		synctest.Wait()
		expect(t, w, "10.0.0.2")
		if h := w.Health()[0]; h.Degraded || h.Err != nil {
			t.Errorf("after recovery health is %+v", h)
		}
		if n := strings.Count(log.String(), "cannot read EndpointSlices"); n != 1 {
			t.Errorf("five minutes of failure are logged %d times, want once:\n%s", n, &log)
		}
		if n := strings.Count(log.String(), "can be read again"); n != 1 {
			t.Errorf("recovery is logged %d times, want once", n)
		}
	})
}

// An endpoint that moved from one slice to another while the watch was lost is
// never absent (S16).
func TestARelistIsOneStep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(sliceOf("a", "10.0.0.1", "10.0.0.2"), sliceOf("b"))
		var fewest int
		var w *watch.Watcher
		ready := make(chan struct{})
		told := func(changes []endpointset.Change) {
			<-ready
			fewest = min(fewest, len(w.Index().Service(web).Backends()))
			for i := range changes {
				if n := len(changes[i].Removed()); n > 0 && len(changes[i].Added()) == 0 {
					t.Errorf("%d backends were reported as removed", n)
				}
			}
		}
		w = start(t, s, told, nil)
		fewest = 2
		close(ready)
		synctest.Wait()
		s.set(sliceOf("a", "10.0.0.1"), sliceOf("b", "10.0.0.2"))
		s.stream().Error(&gone)
		time.Sleep(time.Minute)
		synctest.Wait()
		expect(t, w, "10.0.0.1", "10.0.0.2")
		if got := w.Index().Service(web).Slices(); len(got) != 2 || got[1].Len() != 1 {
			t.Error("the relist was not taken")
		}
		if fewest != 2 {
			t.Errorf("for a moment there were %d backends", fewest)
		}
	})
}

// gone is what an API server says whose etcd was compacted.
var gone = apierrors.NewResourceExpired("too old resource version").ErrStatus

// A shared informer's events, tombstones among them.
func TestHandler(t *testing.T) {
	ix := endpointset.NewIndex(endpointset.Options{})
	told := 0
	h := watch.Handler(ix, func([]endpointset.Change) { told++ })
	small, err := watch.Transform(ix)(sliceOf("b", "10.0.0.2"))
	if err != nil {
		t.Fatal(err)
	}
	h.OnAdd(sliceOf("a", "10.0.0.1"), true)
	h.OnAdd(small, true)
	moved := sliceOf("a", "10.0.0.1")
	moved.Labels[discoveryv1.LabelServiceName] = "other"
	h.OnUpdate(sliceOf("a", "10.0.0.1"), moved)
	if n := len(ix.Service(endpointset.ServiceKey{Namespace: web.Namespace, Name: "other"}).Backends()); n != 1 {
		t.Errorf("the Service that the label moved the slice to has %d backends", n)
	}
	h.OnDelete(cache.DeletedFinalStateUnknown{Key: web.Namespace + "/b", Obj: small})
	h.OnDelete(moved)
	if left := ix.Services(); len(left) != 0 || told != 5 {
		t.Errorf("%v are left, told %d times", left, told)
	}
}
