// Package fleet is a Service of many Pods, of which some can be moved to other
// addresses, and what the two APIs say of it.
package fleet

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/ptr"

	"github.com/slicewright/slicewright/lab/address"
	"github.com/slicewright/slicewright/lab/manifest"
)

// Fleet is a Service and its Pods. Its methods may be called concurrently.
type Fleet struct {
	Client    kubernetes.Interface
	Objects   *manifest.Client
	Namespace string
	// Service is the Service's name, and that of its label app.
	Service string
	// Kept is where the Pods are that stay, as address.Parse reads it.
	Kept string
}

// CreateNamespace makes the namespace, unless it is there.
func (f *Fleet) CreateNamespace(ctx context.Context) error {
	return f.Apply(ctx, fmt.Sprintf("apiVersion: v1\nkind: Namespace\nmetadata: {name: %s}\n", f.Namespace))
}

// CreateService makes the Service. Created after its Pods are ready, its slices
// are filled in one go.
func (f *Fleet) CreateService(ctx context.Context) error {
	return f.Apply(ctx, fmt.Sprintf(serviceYAML, f.Service))
}

// Scale sets how many Pods stay and how many move, and where the moving ones
// are. Moving is a rolling update: the range is in the template.
func (f *Fleet) Scale(ctx context.Context, kept, moving int, movingRange string) error {
	return f.Apply(ctx, fmt.Sprintf(deploymentYAML, f.Service, f.Service, kept, f.Kept)+
		fmt.Sprintf(deploymentYAML, f.Service+"-moving", f.Service, moving, movingRange))
}

// Apply applies objects in the namespace.
func (f *Fleet) Apply(ctx context.Context, text string) error {
	objects, err := manifest.Parse([]byte(text))
	if err != nil {
		return err
	}
	for _, object := range objects {
		if err := f.Objects.Apply(ctx, object, f.Namespace); err != nil {
			return err
		}
	}
	return nil
}

// View is where each kind of reader would send to.
type View struct {
	Slices    [][]netip.Addr // the ready addresses of each slice, the largest first
	Joined    []netip.Addr   // of all slices, in order
	Endpoints []netip.Addr   // of the Endpoints object, in order
	// EndpointsVersion is the object's resourceVersion.
	EndpointsVersion string
}

// Look reads both APIs. It joins the slices by itself: a lab that checked
// slicewright with slicewright's own join would show nothing.
func (f *Fleet) Look(ctx context.Context) (View, error) {
	var v View
	list, err := f.Client.DiscoveryV1().EndpointSlices(f.Namespace).List(ctx, metav1.ListOptions{LabelSelector: discoveryv1.LabelServiceName + "=" + f.Service})
	if err != nil {
		return v, fmt.Errorf("list EndpointSlices: %w", err)
	}
	for _, slice := range list.Items {
		var ready []netip.Addr
		for _, endpoint := range slice.Endpoints {
			if a, err := netip.ParseAddr(endpoint.Addresses[0]); err == nil && ptr.Deref(endpoint.Conditions.Ready, true) {
				ready = append(ready, a)
			}
		}
		v.Slices = append(v.Slices, ready)
		v.Joined = append(v.Joined, ready...)
	}
	slices.SortFunc(v.Slices, func(a, b []netip.Addr) int { return len(b) - len(a) })
	v.Joined = inOrder(v.Joined)

	// The deprecated API is what this is about.
	endpoints, err := f.Client.CoreV1().Endpoints(f.Namespace).Get(ctx, f.Service, metav1.GetOptions{}) //nolint:staticcheck // SA1019
	if err != nil {
		return v, fmt.Errorf("get Endpoints: %w", err)
	}
	v.EndpointsVersion = endpoints.ResourceVersion
	for _, subset := range endpoints.Subsets {
		for _, ready := range subset.Addresses {
			if a, err := netip.ParseAddr(ready.IP); err == nil {
				v.Endpoints = append(v.Endpoints, a)
			}
		}
	}
	v.Endpoints = inOrder(v.Endpoints)
	return v, nil
}

// AwaitReady waits until the slices' ready addresses are those of the ranges.
func (f *Fleet) AwaitReady(ctx context.Context, ranges ...string) error {
	want, err := address.Parse(strings.Join(ranges, ","))
	if err != nil {
		return err
	}
	return Eventually(ctx, func() error {
		v, err := f.Look(ctx)
		if err != nil {
			return err
		}
		if err := address.Compare(want, v.Joined); err != nil {
			return fmt.Errorf("slices of %s: %w", f.Service, err)
		}
		return nil
	})
}

// AwaitPods waits until there are n Pods, all of them ready and none of them
// terminating.
func (f *Fleet) AwaitPods(ctx context.Context, n int) error {
	return Eventually(ctx, func() error {
		pods, err := f.Client.CoreV1().Pods(f.Namespace).List(ctx, metav1.ListOptions{LabelSelector: "app=" + f.Service})
		if err != nil {
			return fmt.Errorf("list Pods: %w", err)
		}
		ready := 0
		for _, pod := range pods.Items {
			if pod.DeletionTimestamp == nil && isReady(&pod) {
				ready++
			}
		}
		if ready != n || len(pods.Items) != n {
			return fmt.Errorf("%d Pods, %d of them ready, instead of %d", len(pods.Items), ready, n)
		}
		return nil
	})
}

// Eventually waits until check finds nothing wrong, at most for two minutes.
func Eventually(ctx context.Context, check func() error) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	ticker := time.NewTicker(50 * time.Millisecond)
	defer ticker.Stop()
	for {
		err := check()
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w: %w", ctx.Err(), err)
		case <-ticker.C:
		}
	}
}

func isReady(pod *v1.Pod) bool {
	return slices.ContainsFunc(pod.Status.Conditions, func(c v1.PodCondition) bool {
		return c.Type == v1.PodReady && c.Status == v1.ConditionTrue
	})
}

func inOrder(all []netip.Addr) []netip.Addr {
	slices.SortFunc(all, netip.Addr.Compare)
	return slices.Compact(all)
}

const serviceYAML = `
apiVersion: v1
kind: Service
metadata: {name: %[1]s}
spec:
  selector: {app: %[1]s}
  ports: [{name: http, port: 80, targetPort: 8080}]
---`

// deploymentYAML is a Deployment whose Pods take their addresses from a range.
const deploymentYAML = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: %[1]s}
spec:
  replicas: %[3]d
  selector: {matchLabels: {app: %[2]s, set: %[1]s}}
  template:
    metadata:
      labels: {app: %[2]s, set: %[1]s}
      annotations: {lab.slicewright.dev/pool: %[4]s}
    spec:
      containers: [{name: web, image: web, ports: [{containerPort: 8080}]}]
---`
