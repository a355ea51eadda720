package live

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	discoveryv1 "k8s.io/api/discovery/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	apiwatch "k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/slicewright/slicewright/app/internal/verify"
	"github.com/slicewright/slicewright/endpointset"
)

// What the source makes of a watcher's answers; that a real API server gives such
// answers the lab's scenarios show.

func TestMain(m *testing.M) {
	// One of client-go's error handlers spaces errors out by the time of the
	// last one, of the whole process: across a test's own clock that is years.
	utilruntime.ErrorHandlers = utilruntime.ErrorHandlers[:1]
	os.Exit(m.Run())
}

// server is an API server of which the test holds every string.
type server struct {
	client *fake.Clientset

	mu     sync.Mutex // guards what follows
	items  []discoveryv1.EndpointSlice
	err    error // of every list and watch
	slow   time.Duration
	stream *apiwatch.FakeWatcher
}

func newServer(items ...*discoveryv1.EndpointSlice) *server {
	s := &server{client: fake.NewClientset()}
	s.set(items...)
	s.client.PrependReactor("list", "endpointslices", func(clienttesting.Action) (bool, runtime.Object, error) {
		time.Sleep(s.slow)
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
		if initial := action.(clienttesting.WatchActionImpl).ListOptions.SendInitialEvents; initial != nil && *initial {
			return true, nil, errors.New("the server does not stream lists")
		}
		s.stream = apiwatch.NewFakeWithChanSize(10, false)
		return true, s.stream, nil
	})
	return s
}

func (s *server) set(items ...*discoveryv1.EndpointSlice) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.items = nil
	for _, item := range items {
		s.items = append(s.items, *item)
	}
}

// fail makes every call fail, and ends the stream; nil makes them work.
func (s *server) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.err = err
	if err != nil && s.stream != nil {
		s.stream.Stop()
	}
}

func (s *server) modify(item *discoveryv1.EndpointSlice) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stream.Modify(item)
}

// ear writes down what it is told.
type ear struct {
	mu   sync.Mutex
	told []string
}

func (e *ear) tell(what string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	// The same set told twice is no news.
	if n := len(e.told); n == 0 || e.told[n-1] != what || !strings.HasPrefix(what, "set ") {
		e.told = append(e.told, what)
	}
}

func (e *ear) Set(set *endpointset.Set) {
	var all []string
	for _, b := range set.Backends() {
		all = append(all, b.Addr.String())
	}
	e.tell("set " + strings.Join(all, " "))
}
func (e *ear) Lost(_ time.Time, why string) { e.tell("lost " + why) }
func (e *ear) Back()                        { e.tell("back") }

func (e *ear) heard() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return strings.Join(e.told, "; ")
}

// sliceWith is the Service's slice with these addresses.
func sliceWith(version string, addresses ...string) *discoveryv1.EndpointSlice {
	s := sliceOf(addresses...)
	s.ResourceVersion = version
	return s
}

func TestClusterFollowsAndSaysWhenItCannot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(sliceWith("1", "10.0.0.1"))
		s.slow = 3 * time.Second // nothing is told before the first list
		e := new(ear)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- Cluster{Client: s.client.DiscoveryV1(), Service: web}.Run(ctx, e) }()
		wait := func() {
			time.Sleep(10 * time.Second)
			synctest.Wait()
		}
		wait()
		s.modify(sliceWith("2", "10.0.0.1", "10.0.0.2"))
		wait()
		s.fail(errors.New("connection refused"))
		wait()
		s.set(sliceWith("3", "10.0.0.3"))
		s.fail(nil)
		wait()
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
		want := "set 10.0.0.1; set 10.0.0.1 10.0.0.2; lost connection refused; set 10.0.0.3; back"
		if got := e.heard(); got != want {
			t.Errorf("told %q\nwant %q", got, want)
		}
	})
}

// Slices that cannot be read for long make the outcome unknown, and what the
// consumer has meanwhile is no difference.
func TestLostSlicesAreUnknown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(sliceWith("1", "10.0.0.1"))
		w := newWorld("10.0.0.1")
		time.AfterFunc(5*time.Second, func() { s.fail(errors.New("connection refused")) })
		time.AfterFunc(10*time.Second, func() { w.follow("10.0.0.7") })
		r := run(t, w, Plan{For: 30 * time.Second}, func(c *Config) {
			c.Slices = Cluster{Client: s.client.DiscoveryV1(), Service: web}
			c.Probes = nil
		})
		outcome(t, r, verify.Undetermined)
		if len(r.Consumers[0].Differences) > 0 || len(r.Slices.Gaps) != 1 || r.Slices.Known {
			t.Errorf("%+v, gaps %+v", r.Consumers[0].Differences, r.Slices.Gaps)
		}
	})
}

// A Service without any slice is a mistake in its name, and not one without
// backends.
func TestAServiceWithoutSlices(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld("10.0.0.1")
		s := newServer()
		r, err := New(Config{Service: web, Slices: Cluster{Client: s.client.DiscoveryV1(), Service: web}, Consumers: []verify.Observer{worldConsumer{w}}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.Run(t.Context(), Plan{}); !errors.Is(err, ErrNoSlices) {
			t.Errorf("%v", err)
		}
	})
}

// A consumer of one family is held to that one alone.
func TestOneFamily(t *testing.T) {
	ix := endpointset.NewIndex(endpointset.Options{})
	ix.Apply(ix.Parse(sliceOf("10.0.0.1", "-10.0.0.2")))
	six := sliceOf("fd00::1", "-fd00::2")
	six.Name, six.AddressType = "web-b", discoveryv1.AddressTypeIPv6
	six.Endpoints[1].Conditions = discoveryv1.EndpointConditions{Ready: new(bool)}
	ix.Apply(ix.Parse(six))
	for family, want := range map[endpointset.Family]string{0: "2 1 1", endpointset.IPv4: "1 1 0", endpointset.IPv6: "1 0 1"} {
		sel := ix.Service(web).Select(endpointset.Query{Family: family})
		if got := fmt.Sprint(len(sel.Active), len(sel.Draining), len(sel.Excluded)); got != want {
			t.Errorf("%s: %s active, draining and excluded, want %s", family, got, want)
		}
	}
}
