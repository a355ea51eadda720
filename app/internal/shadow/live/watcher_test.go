package live_test

//lint:file-ignore SA1019 the deprecated API is what is compared

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	apiwatch "k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/utils/ptr"

	"github.com/slicewright/slicewright/app/internal/shadow"
	"github.com/slicewright/slicewright/app/internal/shadow/live"
	"github.com/slicewright/slicewright/endpointset"
)

func TestMain(m *testing.M) {
	// One of client-go's error handlers spaces errors out by the time of the
	// last one, of the whole process: across a test's own clock that is years.
	utilruntime.ErrorHandlers = utilruntime.ErrorHandlers[:1]
	code := m.Run()
	if err := goleak.Find(); code == 0 && err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

var prices = endpointset.ServiceKey{Namespace: "shop", Name: "prices"}

func endpointsOf(key endpointset.ServiceKey, ips ...string) *corev1.Endpoints {
	e := &corev1.Endpoints{ObjectMeta: metav1.ObjectMeta{Namespace: key.Namespace, Name: key.Name}}
	if len(ips) > 0 {
		subset := corev1.EndpointSubset{Ports: []corev1.EndpointPort{{Name: "http", Port: 8080}}}
		for _, ip := range ips {
			subset.Addresses = append(subset.Addresses, corev1.EndpointAddress{IP: ip})
		}
		e.Subsets = append(e.Subsets, subset)
	}
	return e
}

func sliceOf(key endpointset.ServiceKey, ips ...string) *discoveryv1.EndpointSlice {
	s := &discoveryv1.EndpointSlice{
		ObjectMeta: metav1.ObjectMeta{Namespace: key.Namespace, Name: key.Name + "-a", Labels: map[string]string{
			discoveryv1.LabelServiceName: key.Name, discoveryv1.LabelManagedBy: "endpointslice-controller.k8s.io",
		}},
		AddressType: discoveryv1.AddressTypeIPv4,
		Ports:       []discoveryv1.EndpointPort{{Name: ptr.To("http"), Port: ptr.To[int32](8080)}},
	}
	for _, ip := range ips {
		s.Endpoints = append(s.Endpoints, discoveryv1.Endpoint{Addresses: []string{ip}})
	}
	return s
}

func serviceOf(key endpointset.ServiceKey) *corev1.Service {
	return &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: key.Namespace, Name: key.Name, UID: "u"}}
}

func podOf(namespace, name, node, ip string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}, Spec: corev1.PodSpec{NodeName: node},
		Status: corev1.PodStatus{PodIPs: []corev1.PodIP{{IP: ip}}},
	}
}

// cluster is an API server whose answers the test decides.
type cluster struct {
	*fake.Clientset
	mu   sync.Mutex
	errs map[string]error // by resource, of every list and watch
}

func newCluster(objects ...runtime.Object) *cluster {
	c := &cluster{Clientset: fake.NewClientset(objects...), errs: map[string]error{}}
	c.PrependReactor("list", "*", func(a clienttesting.Action) (bool, runtime.Object, error) {
		err := c.err(a)
		return err != nil, nil, err
	})
	return c
}

func (c *cluster) err(a clienttesting.Action) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.errs[a.GetResource().Resource]
}

func (c *cluster) refuse(resource string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.errs[resource] = apierrors.NewForbidden(schema.GroupResource{Resource: resource}, "", errors.New("no rule permits it"))
}

func (c *cluster) permit(resource string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.errs, resource)
}

// asked returns the resources that were listed or watched.
func (c *cluster) asked() []string {
	seen := map[string]bool{}
	for _, a := range c.Actions() {
		if a.GetVerb() == "list" || a.GetVerb() == "watch" {
			seen[a.GetResource().Resource] = true
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

func (c *cluster) putEndpoints(t *testing.T, e *corev1.Endpoints) {
	t.Helper()
	if _, err := c.CoreV1().Endpoints(e.Namespace).Update(t.Context(), e, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
}

func (c *cluster) putSlice(t *testing.T, s *discoveryv1.EndpointSlice) {
	t.Helper()
	if _, err := c.DiscoveryV1().EndpointSlices(s.Namespace).Update(t.Context(), s, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
}

// start runs a watcher until the test ends.
func start(t *testing.T, c *cluster, options live.Options) *live.Watcher {
	w := live.New(c, options)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); w.Run(ctx) }()
	t.Cleanup(func() { cancel(); <-done })
	return w
}

// pass lets time go by, and what is to happen in it happen.
func pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func only(t *testing.T, w *live.Watcher) shadow.ServiceReport {
	t.Helper()
	r := w.Report()
	if len(r.Services) != 1 {
		t.Fatalf("%d Services in the report: %+v", len(r.Services), r.Services)
	}
	return r.Services[0]
}

func isJudged(w *live.Watcher) bool {
	select {
	case <-w.Judged():
		return true
	default:
		return false
	}
}

func TestTwoSourcesThatAgree(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(endpointsOf(prices, "10.0.0.1"), sliceOf(prices, "10.0.0.1"), serviceOf(prices))
		w := start(t, c, live.Options{})
		pass(4 * time.Second)
		if r := w.Report(); r.Outcome != shadow.Unknown || isJudged(w) || only(t, w).Reason != "it has not settled yet" {
			t.Errorf("after 4 s of 5: %+v, judged %t", r, isJudged(w))
		}
		pass(2 * time.Second)
		if r := w.Report(); r.Outcome != shadow.Equal || !isJudged(w) || len(r.Unread) > 0 {
			t.Errorf("after 6 s: %+v, judged %t", r, isJudged(w))
		}
		if s := only(t, w); s.Endpoints != 1 || s.Slices != 1 || !s.Still || s.Judgements != 1 {
			t.Errorf("the Service: %+v", s)
		}
	})
}

// The slices change first and the Endpoints three seconds later: nobody is told
// of a difference. Then the Endpoints change no more: that is one.
func TestARolloutIsNoDifferenceAndFrozenEndpointsAre(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(endpointsOf(prices, "10.0.0.1"), sliceOf(prices, "10.0.0.1"), serviceOf(prices))
		var told []string
		var log bytes.Buffer
		w := start(t, c, live.Options{Logger: slog.New(slog.NewTextHandler(&log, nil)), Judged: func(j live.Judgement) {
			told = append(told, string(j.Before)+">"+string(j.Verdict.Comparison.Outcome()))
		}})
		pass(6 * time.Second)
		c.putSlice(t, sliceOf(prices, "10.0.0.2"))
		pass(3 * time.Second)
		c.putEndpoints(t, endpointsOf(prices, "10.0.0.2"))
		pass(6 * time.Second)
		if s := only(t, w); s.Outcome != shadow.Equal || s.Judgements != 2 {
			t.Errorf("after a rollout: %+v", s)
		}
		c.putSlice(t, sliceOf(prices, "10.0.0.3"))
		pass(6 * time.Second)
		s := only(t, w)
		if want := map[shadow.Class]int{shadow.EndpointsStale: 1, shadow.EndpointsBehind: 1}; s.Outcome != shadow.Different || !maps.Equal(s.Classes, want) {
			t.Errorf("frozen Endpoints: %+v", s)
		}
		c.putEndpoints(t, endpointsOf(prices, "10.0.0.3"))
		pass(6 * time.Second)
		if s := only(t, w); s.Outcome != shadow.Different || !s.Resolved || len(s.Differences) != 2 {
			t.Errorf("a difference that was there counts when it is gone: %+v", s)
		}
		if want := []string{">equal", "equal>equal", "equal>different", "different>equal"}; !slices.Equal(told, want) {
			t.Errorf("told %v, want %v", told, want)
		}
		if differ, agree := strings.Count(log.String(), "slices differ"), strings.Count(log.String(), "slices agree"); differ != 1 || agree != 2 {
			t.Errorf("logged %d times that they differ and %d that they agree, want 1 and 2:\n%s", differ, agree, log.String())
		}
	})
}

// Endpoints change every two seconds, and a stale address is among them always.
func TestAServiceThatNeverRests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(endpointsOf(prices, "10.0.0.1", "10.0.0.9"), sliceOf(prices, "10.0.0.1"), serviceOf(prices))
		w := start(t, c, live.Options{Ceiling: 20 * time.Second})
		for i := range 15 {
			pass(2 * time.Second)
			c.putEndpoints(t, endpointsOf(prices, "10.0.0.1", "10.0.0.9", fmt.Sprintf("10.0.1.%d", i)))
		}
		s := only(t, w)
		if s.Outcome != shadow.Different || s.Still || s.Judgements != 1 || len(s.Differences) != 1 || s.Differences[0].Endpoint != "10.0.0.9:8080" {
			t.Errorf("%+v", s)
		}
	})
}

// While one source cannot be read, what is known of it may be old: no verdict.
func TestNothingIsJudgedWhileASourceCannotBeRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(endpointsOf(prices, "10.0.0.1"), sliceOf(prices, "10.0.0.1"), serviceOf(prices))
		c.refuse("endpoints")
		var log bytes.Buffer
		w := start(t, c, live.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
		pass(time.Minute)
		r := w.Report()
		if r.Outcome != shadow.Unknown || !isJudged(w) || !w.Refused() {
			t.Errorf("refused Endpoints: %+v, judged %t, refused %t", r, isJudged(w), w.Refused())
		}
		if s := only(t, w); !strings.Contains(s.Reason, "endpoints cannot be read: ") {
			t.Errorf("the reason is %q", s.Reason)
		}
		if len(r.Unread) != 1 || r.Unread[0].Resource != "endpoints" || !r.Unread[0].Needed || !r.Unread[0].Refused {
			t.Errorf("unread: %+v", r.Unread)
		}
		if n := strings.Count(log.String(), "cannot read"); n != 1 {
			t.Errorf("logged %d times:\n%s", n, log.String())
		}
		c.permit("endpoints")
		pass(20 * time.Second)
		if r := w.Report(); r.Outcome != shadow.Equal || w.Refused() {
			t.Errorf("permitted again: %+v", r)
		}
	})
}

// What is not permitted beside the two sources lowers what can be said.
func TestMissingPermissionsShow(t *testing.T) {
	tests := []struct {
		refused string
		want    shadow.Class
	}{
		{"", shadow.NodeMissing},
		{"nodes", shadow.SlicesBehind},
		{"pods", shadow.EndpointsStale},
	}
	for _, tt := range tests {
		t.Run(tt.refused, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := newCluster(endpointsOf(prices, "10.0.0.1"), serviceOf(prices), podOf("shop", "a", "gone", "10.0.0.1"))
				if tt.refused != "" {
					c.refuse(tt.refused)
				}
				w := start(t, c, live.Options{Services: []endpointset.ServiceKey{prices}})
				pass(10 * time.Second)
				s, r := only(t, w), w.Report()
				if s.Classes[tt.want] != 1 || len(s.Classes) != 1 || s.Judgements != 1 {
					t.Errorf("classes %v, want one %s", s.Classes, tt.want)
				}
				if (len(r.Unread) == 1) != (tt.refused != "") {
					t.Fatalf("unread: %+v", r.Unread)
				}
				if tt.refused != "" && (r.Unread[0].Resource != tt.refused || r.Unread[0].Needed || r.Unread[0].Effect == "") {
					t.Errorf("unread: %+v", r.Unread[0])
				}
			})
		})
	}
}

// A first judgement without Pods would name another class than the second.
func TestTheFirstJudgementWaitsForThePods(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(endpointsOf(prices, "10.0.0.1"), serviceOf(prices), podOf("shop", "a", "gone", "10.0.0.1"))
		c.mu.Lock()
		c.errs["pods"] = apierrors.NewResourceExpired("ask again") // which is no answer yet
		c.mu.Unlock()
		w := start(t, c, live.Options{})
		pass(time.Minute)
		if s := only(t, w); s.Judgements != 0 || isJudged(w) {
			t.Errorf("before the Pods are there: %+v", s)
		}
		c.permit("pods")
		pass(15 * time.Second)
		if s := only(t, w); s.Judgements != 1 || s.Classes[shadow.NodeMissing] != 1 || !isJudged(w) {
			t.Errorf("after: %+v", s)
		}
	})
}

// What went while a watch was lost is not there after the list that follows (S16).
func TestAListTakesOutWhatIsGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(endpointsOf(prices, "10.0.0.1"), sliceOf(prices, "10.0.0.1"), serviceOf(prices))
		var streams []*apiwatch.FakeWatcher
		c.PrependWatchReactor("endpoints", func(clienttesting.Action) (bool, apiwatch.Interface, error) {
			streams = append(streams, apiwatch.NewFakeWithChanSize(1, false))
			return true, streams[len(streams)-1], nil
		})
		w := start(t, c, live.Options{})
		pass(10 * time.Second)
		if s := only(t, w); s.Outcome != shadow.Equal {
			t.Fatalf("%+v", s)
		}
		if err := c.CoreV1().Endpoints("shop").Delete(t.Context(), "prices", metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		expired := apierrors.NewResourceExpired("compacted").Status()
		streams[0].Error(&expired)
		streams[0].Stop()
		pass(30 * time.Second)
		if s := only(t, w); s.Classes[shadow.NoEndpoints] != 1 {
			t.Errorf("%+v", s)
		}
	})
}

// A Pod that goes changes no source, and the class all the same.
func TestTheClassFollowsThePods(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(endpointsOf(prices, "10.0.0.1"), serviceOf(prices), podOf("shop", "a", "n1", "10.0.0.1"), &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n1"}})
		w := start(t, c, live.Options{Ceiling: 30 * time.Second})
		pass(10 * time.Second)
		if s := only(t, w); s.Classes[shadow.SlicesBehind] != 1 {
			t.Fatalf("%+v", s)
		}
		if err := c.CoreV1().Pods("shop").Delete(t.Context(), "a", metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		pass(31 * time.Second)
		if s := only(t, w); s.Classes[shadow.EndpointsStale] != 1 {
			t.Errorf("%+v", s)
		}
	})
}

func TestOnlyWhatIsAskedForIsRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		other := endpointset.ServiceKey{Namespace: "shop", Name: "other"}
		c := newCluster(endpointsOf(prices, "10.0.0.1"), sliceOf(prices, "10.0.0.1"), endpointsOf(other, "10.0.0.2"), serviceOf(prices))
		w := start(t, c, live.Options{Services: []endpointset.ServiceKey{prices}})
		pass(10 * time.Second)
		if s := only(t, w); s.Service != "shop/prices" || s.Outcome != shadow.Equal {
			t.Errorf("%+v", s)
		}
		for _, a := range c.Actions() {
			list, ok := a.(clienttesting.ListActionImpl)
			if !ok {
				continue
			}
			switch a.GetResource().Resource {
			case "endpoints", "services":
				if got := list.GetListRestrictions().Fields.String(); got != "metadata.name=prices" || a.GetNamespace() != "shop" {
					t.Errorf("%s of namespace %q are listed with fields %q", a.GetResource().Resource, a.GetNamespace(), got)
				}
			case "endpointslices":
				if got := list.GetListRestrictions().Labels.String(); got != "kubernetes.io/service-name=prices" {
					t.Errorf("slices are listed with labels %q", got)
				}
			}
		}
		if got, want := c.asked(), []string{"endpoints", "endpointslices", "nodes", "pods", "services"}; !slices.Equal(got, want) {
			t.Errorf("read %v, want %v", got, want)
		}
	})
}

func TestAServiceThatIsNotThere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := start(t, newCluster(), live.Options{Services: []endpointset.ServiceKey{prices}})
		pass(10 * time.Second)
		if s := only(t, w); s.Outcome != shadow.Unknown || !strings.Contains(s.Reason, "neither Endpoints nor EndpointSlices") || !isJudged(w) {
			t.Errorf("%+v, judged %t", s, isJudged(w))
		}
	})
}

// Slices of one's own and no Endpoints: expected, unless there is a reference.
func TestAReferenceIsComparedWith(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reference, err := shadow.ParseReference([]byte(`{"apiVersion":"slicewright.dev/v1alpha1","kind":"ShadowReference","services":[
			{"service":"shop/prices","backends":[{"port":"http","endpoint":"10.0.0.1:8080"},{"port":"http","endpoint":"10.0.0.3:8080"}]}]}`))
		if err != nil {
			t.Fatal(err)
		}
		s := sliceOf(prices, "10.0.0.1", "10.0.0.2")
		s.Labels[discoveryv1.LabelManagedBy] = "vms.example.com"
		c := newCluster(s, serviceOf(prices))
		c.refuse("endpoints") // which a reference makes unnecessary
		w := start(t, c, live.Options{Reference: reference, Services: []endpointset.ServiceKey{prices}})
		pass(10 * time.Second)
		got := only(t, w)
		if want := map[shadow.Class]int{shadow.OnlyInReference: 1, shadow.NotInReference: 1}; !maps.Equal(got.Classes, want) || !got.Reference {
			t.Errorf("%+v", got)
		}
	})
}

// An Event when it begins to differ, one when it agrees again, none else.
func TestEventsTellChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(endpointsOf(prices, "10.0.0.1"), sliceOf(prices, "10.0.0.1"), serviceOf(prices))
		events := live.NewEvents(c.CoreV1(), "host", slog.New(slog.DiscardHandler))
		ctx, cancel := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() { events.Run(ctx) })
		start(t, c, live.Options{Judged: events.Judged, Ceiling: time.Minute})
		pass(10 * time.Minute)
		written := func() []string {
			var all []string
			for _, a := range c.Actions() {
				if create, ok := a.(clienttesting.CreateAction); ok && a.GetResource().Resource == "events" {
					e := create.GetObject().(*corev1.Event)
					if e.InvolvedObject.Kind != "Service" || e.InvolvedObject.UID != "u" || e.Namespace != "shop" {
						t.Errorf("an Event on %+v in %q", e.InvolvedObject, e.Namespace)
					}
					all = append(all, e.Type+" "+e.Reason+": "+e.Message)
				}
			}
			return all
		}
		if got := written(); len(got) > 0 {
			t.Errorf("Events that all is well: %v", got)
		}
		c.putSlice(t, sliceOf(prices, "10.0.0.2"))
		pass(10 * time.Minute)
		c.putEndpoints(t, endpointsOf(prices, "10.0.0.2"))
		pass(10 * time.Second)
		cancel()
		running.Wait()
		want := []string{
			"Warning EndpointsDiffer: Endpoints and EndpointSlices differ: 1 endpoints-behind, 1 endpoints-stale. See slicewright shadow.",
			"Normal EndpointsAgree: Endpoints and EndpointSlices agree again",
		}
		if got := written(); !slices.Equal(got, want) {
			t.Errorf("Events:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	})
}
