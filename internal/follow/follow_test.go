package follow_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/slicewright/slicewright/internal/follow"
)

func TestMain(m *testing.M) {
	// One of client-go's error handlers spaces errors out by the time of the
	// last one, of the whole process: across a test's own clock that is years.
	utilruntime.ErrorHandlers = utilruntime.ErrorHandlers[:1]
	os.Exit(m.Run())
}

// server is an API server of which the test decides each answer.
type server struct {
	mu      sync.Mutex
	calls   int
	list    func(context.Context) error
	watch   func(context.Context, metav1.ListOptions) (watch.Interface, error)
	gaveUp  int
	told    []string
	stored  map[string]bool
	follows *follow.Follower
}

func (s *server) set(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
}

func (s *server) Put(obj any) error {
	s.set(func() { s.stored[obj.(*corev1.Node).Name] = true })
	return nil
}

func (s *server) Delete(obj any) error {
	s.set(func() { delete(s.stored, obj.(*corev1.Node).Name) })
	return nil
}

func (s *server) Replace(list []any) error {
	s.set(func() {
		s.stored = map[string]bool{}
		for _, obj := range list {
			s.stored[obj.(*corev1.Node).Name] = true
		}
	})
	return nil
}

// start follows until the test ends. plain asks for lists that are not streamed.
func start(t *testing.T, s *server, plain bool) {
	if s.list == nil {
		s.list = func(context.Context) error { return nil }
	}
	if s.watch == nil {
		s.watch = func(context.Context, metav1.ListOptions) (watch.Interface, error) {
			return watch.NewFakeWithChanSize(1, false), nil
		}
	}
	s.follows = follow.New(follow.Options{
		Name: "nodes", Type: &corev1.Node{}, Description: "Node", Client: listing(plain), Store: s,
		Calls: follow.Calls{
			List: func(ctx context.Context, _ metav1.ListOptions) (runtime.Object, error) {
				s.mu.Lock()
				list := s.list
				s.calls++
				s.mu.Unlock()
				if err := list(ctx); err != nil {
					return nil, err
				}
				return &corev1.NodeList{ListMeta: metav1.ListMeta{ResourceVersion: "1"}, Items: []corev1.Node{node("a")}}, nil
			},
			Watch: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
				s.mu.Lock()
				open := s.watch
				s.calls++
				s.mu.Unlock()
				return open(ctx, options)
			},
		},
		GiveUp: func() { s.set(func() { s.gaveUp++ }) },
		Changed: func(h follow.Health) {
			s.set(func() { s.told = append(s.told, fmt.Sprintf("synced=%v degraded=%v %v", h.Synced, h.Degraded, h.Err)) })
		},
	})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); s.follows.Run(ctx) }()
	t.Cleanup(func() { cancel(); <-done })
	synctest.Wait()
}

type listing bool

func (l listing) IsWatchListSemanticsUnSupported() bool { return bool(l) }

func node(name string) corev1.Node {
	return corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, ResourceVersion: "1"}}
}

func (s *server) expect(t *testing.T, told ...string) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if diff := cmp.Diff(told, s.told); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
}

const (
	synced = "synced=true degraded=false <nil>"
	silent = "synced=true degraded=true the API server said nothing for 2m30s"
)

// A connection that says nothing is shown, given up and made again; what was read
// stays.
func TestSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &server{}
		start(t, s, true)
		began := s.follows.Health().Heard
		time.Sleep(follow.Silence - time.Second)
		synctest.Wait()
		s.expect(t, synced)
		// From now on calls hang, as through a proxy that forwards nothing.
		s.set(func() {
			s.list = func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
			s.watch = func(ctx context.Context, _ metav1.ListOptions) (watch.Interface, error) {
				<-ctx.Done()
				return nil, ctx.Err()
			}
		})
		time.Sleep(2 * time.Second)
		synctest.Wait()
		s.expect(t, synced, silent)
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		s.expect(t, synced, silent)
		if h := s.follows.Health(); !h.Heard.Equal(began) || !s.stored["a"] || s.gaveUp < 2 {
			t.Errorf("heard at %v, want %v; given up %d times; stored %v", h.Heard, began, s.gaveUp, s.stored)
		}
		s.set(func() {
			s.list = func(context.Context) error { return nil }
			s.watch = func(context.Context, metav1.ListOptions) (watch.Interface, error) {
				return watch.NewFakeWithChanSize(1, false), nil
			}
		})
		for waited := 0; waited < 180 && s.follows.Health().Degraded; waited++ {
			time.Sleep(time.Second) // the call that hangs, and a pause
		}
		synctest.Wait()
		s.expect(t, synced, silent, synced)
	})
}

// Bookmarks are a word.
func TestBookmarksAreHeard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stream := watch.NewFakeWithChanSize(1, false)
		s := &server{watch: func(context.Context, metav1.ListOptions) (watch.Interface, error) { return stream, nil }}
		start(t, s, true)
		for range 30 {
			time.Sleep(time.Minute)
			stream.Action(watch.Bookmark, &corev1.Node{ObjectMeta: metav1.ObjectMeta{ResourceVersion: "2"}})
		}
		synctest.Wait()
		s.expect(t, synced)
		if age := time.Since(s.follows.Health().Heard); age != 0 || s.calls != 2 {
			t.Errorf("heard %s ago, %d calls", age, s.calls)
		}
	})
}

// A stream that ends with an error is a failure at once, and the list that follows
// ends it.
func TestAnErrorInAStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stream := watch.NewFakeWithChanSize(1, false)
		s := &server{watch: func(context.Context, metav1.ListOptions) (watch.Interface, error) { return stream, nil }}
		start(t, s, true)
		s.set(func() { s.list = func(context.Context) error { return errors.New("connection refused") } })
		status := apierrors.NewGenericServerResponse(500, "watch", corev1.Resource("nodes"), "", "the connection broke", 0, true).Status()
		stream.Error(&status)
		synctest.Wait()
		if h := s.follows.Health(); !h.Degraded || h.Err == nil {
			t.Errorf("health is %+v", h)
		}
		s.set(func() {
			s.list = func(context.Context) error { return nil }
			stream = watch.NewFakeWithChanSize(1, false)
		})
		time.Sleep(20 * time.Second)
		synctest.Wait()
		if h := s.follows.Health(); h.Degraded || h.Err != nil {
			t.Errorf("after a list health is %+v", h)
		}
	})
}

// What client-go makes of attempts that timed out, an empty stream and no error,
// does not end a failure.
func TestAnEmptyWatchIsNoAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fails := errors.New("i/o timeout")
		stream := watch.NewFakeWithChanSize(1, false)
		s := &server{watch: func(context.Context, metav1.ListOptions) (watch.Interface, error) { return stream, nil }}
		start(t, s, true)
		s.set(func() {
			s.list = func(context.Context) error { return fails }
			s.watch = func(context.Context, metav1.ListOptions) (watch.Interface, error) { return watch.NewEmptyWatch(), nil }
		})
		time.Sleep(2 * time.Second) // a shorter watch is followed by a list
		stream.Stop()
		time.Sleep(time.Minute)
		synctest.Wait()
		s.expect(t, synced, "synced=true degraded=true the API server did not answer the watch")
	})
}

// A streamed list that is cut again and again is asked for with growing pauses.
func TestACutListIsNoHotLoop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &server{watch: func(context.Context, metav1.ListOptions) (watch.Interface, error) {
			stream := watch.NewFakeWithChanSize(1, false)
			a := node("a")
			stream.Add(&a)
			stream.Stop()
			return stream, nil
		}}
		start(t, s, false)
		time.Sleep(33 * time.Second)
		synctest.Wait()
		s.expect(t, "synced=false degraded=true the API server's list ended before it was complete")
		if s.calls < 5 || s.calls > 40 {
			t.Errorf("%d calls in 33 seconds", s.calls)
		}
		s.set(func() {
			s.watch = func(context.Context, metav1.ListOptions) (watch.Interface, error) {
				stream := watch.NewFakeWithChanSize(2, false)
				a := node("a")
				stream.Add(&a)
				stream.Action(watch.Bookmark, &corev1.Node{ObjectMeta: metav1.ObjectMeta{
					ResourceVersion: "2", Annotations: map[string]string{metav1.InitialEventsAnnotationKey: "true"},
				}})
				return stream, nil
			}
		})
		time.Sleep(20 * time.Second)
		synctest.Wait()
		if h := s.follows.Health(); !h.Synced || h.Degraded || !s.stored["a"] {
			t.Errorf("health is %+v", h)
		}
	})
}
