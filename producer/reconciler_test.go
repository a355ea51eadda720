package producer

import (
	"maps"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	discovery "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/kubernetes/fake"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	events "k8s.io/client-go/tools/record"
	"k8s.io/endpointslice"
	"k8s.io/endpointslice/util"
	"k8s.io/klog/v2"
	"pgregory.net/rapid"

	"github.com/slicewright/slicewright/endpointset"
)

// From the same slices to the same addresses, a plan never takes more writes
// than the endpointslice controller's own reconciler, and ends with the same
// backends.
func TestPlanWritesNoMoreThanTheController(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := newController(t, rapid.IntRange(1, 6).Draw(t, "max"))
		for range rapid.IntRange(1, 3).Draw(t, "changes") {
			var pods []*corev1.Pod
			desired := want(c.limit, on([]endpointset.Port{{Name: "http", Protocol: "TCP", Number: 8080}}))
			for _, e := range ips(1, 16) {
				if rapid.IntRange(0, 2).Draw(t, "absent") == 0 {
					continue
				}
				e.State = State(rapid.IntRange(0, 4).Draw(t, "state") / 4)
				pods = append(pods, podOf(e))
				desired.Subsets[0].Endpoints = append(desired.Subsets[0].Endpoints, e)
			}
			w := newWorld()
			for _, s := range c.slices() {
				s.Labels[discovery.LabelManagedBy] = me
				for i := range s.Endpoints {
					s.Endpoints[i].TargetRef = nil // ours have no Pod behind them
				}
				w.put(s)
			}
			plan, err := desired.Plan(w.list())
			if err != nil {
				t.Fatal(err)
			}
			for _, write := range plan.Writes {
				if err := w.apply(write); err != nil {
					t.Fatal(err)
				}
			}
			theirs := c.reconcile(pods)
			// It keeps one empty slice where a plan keeps none, which it may have
			// had to create, or not to delete.
			if len(pods) > 0 && plan.Len() > theirs {
				t.Fatalf("%d writes, the controller needs %d:\n%s", plan.Len(), theirs, plan)
			}
			if got, want := w.seen(me), worldOf(c.slices()).seen(me); !maps.Equal(got, want) {
				t.Fatalf("the plan ends with\n%v\nthe controller with\n%v", got, want)
			}
		}
	})
}

func worldOf(slices []*discovery.EndpointSlice) *world {
	for _, s := range slices {
		s.Labels[discovery.LabelManagedBy] = me
	}
	return newWorld(slices...)
}

// controller is the endpointslice controller's reconciler on a fake API server.
type controller struct {
	t          *rapid.T
	limit      int
	client     *fake.Clientset
	reconciler *endpointslice.Reconciler
}

var service = &corev1.Service{
	ObjectMeta: metav1.ObjectMeta{Namespace: prices.Namespace, Name: prices.Name, UID: "u"},
	Spec: corev1.ServiceSpec{
		ClusterIP: "10.96.0.9", IPFamilies: []corev1.IPFamily{corev1.IPv4Protocol},
		Ports: []corev1.ServicePort{{Name: "http", Protocol: corev1.ProtocolTCP, Port: 80, TargetPort: intstr.FromInt32(8080)}},
	},
}

func newController(t *rapid.T, limit int) *controller {
	client := server()
	nodes := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{})
	if err := nodes.Add(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n1"}}); err != nil {
		t.Fatal(err)
	}
	return &controller{t, limit, client, endpointslice.NewReconciler(client, corelisters.NewNodeLister(nodes), int32(limit),
		util.NewEndpointSliceTracker(), nil, events.NewFakeRecorder(100), "endpointslice-controller.k8s.io")}
}

func (c *controller) slices() []*discovery.EndpointSlice {
	list, err := c.client.DiscoveryV1().EndpointSlices(prices.Namespace).List(c.t.Context(), metav1.ListOptions{})
	if err != nil {
		c.t.Fatal(err)
	}
	var all []*discovery.EndpointSlice
	for i := range list.Items {
		s := list.Items[i].DeepCopy()
		for j := range s.Endpoints {
			s.Endpoints[j].NodeName = nil
		}
		all = append(all, s)
	}
	return all
}

// reconcile returns how many writes it took.
func (c *controller) reconcile(pods []*corev1.Pod) int {
	list, err := c.client.DiscoveryV1().EndpointSlices(prices.Namespace).List(c.t.Context(), metav1.ListOptions{})
	if err != nil {
		c.t.Fatal(err)
	}
	var existing []*discovery.EndpointSlice
	for i := range list.Items {
		existing = append(existing, &list.Items[i])
	}
	c.client.ClearActions()
	if err := c.reconciler.Reconcile(klog.Background(), service, pods, existing, time.Unix(1, 0)); err != nil {
		c.t.Fatal(err)
	}
	return len(c.client.Actions())
}

func podOf(e Endpoint) *corev1.Pod {
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: prices.Namespace, Name: "p-" + e.Addr.String()},
		Spec:       corev1.PodSpec{NodeName: "n1"},
		Status:     corev1.PodStatus{PodIP: e.Addr.String(), PodIPs: []corev1.PodIP{{IP: e.Addr.String()}}},
	}
	if e.State == Ready {
		pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
	}
	return pod
}
