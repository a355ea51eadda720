package watch_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiwatch "k8s.io/apimachinery/pkg/watch"

	"github.com/slicewright/slicewright/endpointset"
	"github.com/slicewright/slicewright/watch"
)

// late is a client whose namespaces answer when a test lets them.
type late map[string]*lateSlices

type lateSlices struct {
	namespace string
	answers   chan struct{} // closed when the list may be answered
	stream    *apiwatch.FakeWatcher
}

func (l late) EndpointSlices(namespace string) *lateSlices { return l[namespace] }

// IsWatchListSemanticsUnSupported makes client-go ask for a plain list.
func (l late) IsWatchListSemanticsUnSupported() bool { return true }

func (l *lateSlices) List(ctx context.Context, _ metav1.ListOptions) (*discoveryv1.EndpointSliceList, error) {
	select {
	case <-l.answers:
		return &discoveryv1.EndpointSliceList{Items: []discoveryv1.EndpointSlice{*l.slice("10.0.0.1")}}, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (l *lateSlices) Watch(context.Context, metav1.ListOptions) (apiwatch.Interface, error) {
	return l.stream, nil
}

func (l *lateSlices) slice(address string) *discoveryv1.EndpointSlice {
	es := sliceOf("a", address)
	es.Namespace = l.namespace
	return es
}

// Whatever the order in which namespaces are listed, nothing is told before all
// are, and then everything is, once; what comes later is told as it comes.
func TestChangesOfThreeNamespacesInEveryOrder(t *testing.T) {
	for _, order := range [][]string{
		{"a", "b", "c"}, {"a", "c", "b"}, {"b", "a", "c"}, {"b", "c", "a"}, {"c", "a", "b"}, {"c", "b", "a"},
	} {
		t.Run(strings.Join(order, ""), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				client := late{}
				for _, namespace := range order {
					client[namespace] = &lateSlices{namespace, make(chan struct{}), apiwatch.NewFakeWithChanSize(1, false)}
				}
				var told []string
				w := watch.New(client, watch.Options{
					Namespaces: order,
					Changed: func(changes []endpointset.Change) {
						var all []string
						for _, c := range changes {
							all = append(all, fmt.Sprintf("%s+%d~%d-%d", c.Service.Namespace, len(c.Added()), len(c.Updated()), len(c.Removed())))
						}
						told = append(told, strings.Join(all, " "))
					},
				})
				ctx, cancel := context.WithCancel(t.Context())
				done := make(chan struct{})
				go func() { defer close(done); w.Run(ctx) }()

				for i, namespace := range order {
					synctest.Wait()
					if set, known := w.Service(endpointset.ServiceKey{Namespace: "a", Name: "web"}); set != nil || known || told != nil {
						t.Errorf("after %d lists a set is known: %v, and told was %q", i, known, told)
					}
					close(client[namespace].answers)
					synctest.Wait()
					if i == 0 {
						// An event before the gate opens is part of what is told then.
						client[namespace].stream.Modify(client[namespace].slice("10.0.0.2"))
					}
				}
				synctest.Wait()
				if set, known := w.Service(endpointset.ServiceKey{Namespace: "a", Name: "web"}); !known || len(set.Backends()) != 1 {
					t.Errorf("after all lists a set is known: %v", known)
				}
				last := order[2]
				client[last].stream.Delete(client[last].slice("10.0.0.1"))
				synctest.Wait()
				want := []string{"a+1~0-0 b+1~0-0 c+1~0-0", last + "+0~0-1"}
				if diff := cmp.Diff(want, told); diff != "" {
					t.Errorf("told (-want +got):\n%s", diff)
				}
				cancel()
				<-done
			})
		})
	}
}

// Each state is told once, when it begins.
func TestHealthIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(sliceOf("a", "10.0.0.1"))
		var told []string
		w := watch.New(s.client.DiscoveryV1(), watch.Options{
			Logger:        slog.New(slog.DiscardHandler),
			HealthChanged: func(h watch.Health) { told = append(told, fmt.Sprint(h.Synced, h.Degraded, h.Err)) },
		})
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { defer close(done); w.Run(ctx) }()
		synctest.Wait()
		s.fail(errors.New("forbidden"))
		s.stream().Stop()
		time.Sleep(time.Minute)
		s.fail(nil)
		time.Sleep(time.Minute)
		synctest.Wait()
		cancel()
		<-done
		if diff := cmp.Diff([]string{"true false <nil>", "true true forbidden", "true false <nil>"}, told); diff != "" {
			t.Errorf("told (-want +got):\n%s", diff)
		}
	})
}

// Without a logger errors are not silent.
func TestTheDefaultLoggerIsUsed(t *testing.T) {
	before := slog.Default()
	t.Cleanup(func() { slog.SetDefault(before) })
	var log strings.Builder
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
	synctest.Test(t, func(t *testing.T) {
		s := newServer()
		s.fail(errors.New("forbidden"))
		w := watch.New(s.client.DiscoveryV1(), watch.Options{})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		w.Run(ctx)
	})
	if !strings.Contains(log.String(), "cannot read EndpointSlices") {
		t.Errorf("the log says %q", log.String())
	}
}

// What is told first and what is told later add up to the index, whatever the
// number of slices of a Service.
func TestContentsLeadFromNothing(t *testing.T) {
	ix := endpointset.NewIndex(endpointset.Options{})
	for _, es := range []*discoveryv1.EndpointSlice{sliceOf("a", "10.0.0.1"), sliceOf("b", "10.0.0.1", "10.0.0.2"), sliceOf("empty")} {
		ix.Apply(ix.Parse(es))
	}
	got := map[string][]string{}
	for _, c := range ix.Contents() {
		for _, b := range c.Added() {
			got[c.Service.String()] = append(got[c.Service.String()], b.Endpoint())
		}
		if len(c.Removed())+len(c.Updated()) > 0 {
			t.Errorf("%+v", c)
		}
	}
	want := map[string][]string{}
	for _, b := range ix.Service(web).Backends() {
		want[web.String()] = append(want[web.String()], b.Endpoint())
	}
	if diff := cmp.Diff(want, got); diff != "" || !slices.Equal(slices.Collect(maps.Keys(got)), []string{web.String()}) {
		t.Errorf("contents (-want +got):\n%s", diff)
	}
}
