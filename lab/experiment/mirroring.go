package experiment

import (
	"context"
	"fmt"
	"slices"

	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/slicewright/slicewright/app/experiment/controllers"
	"github.com/slicewright/slicewright/lab/fleet"
)

// outside is a Service without a selector, whose Endpoints somebody writes and
// the mirroring controller copies into a slice.
const outside = "outside"

const outsideYAML = `apiVersion: v1
kind: Service
metadata: {name: outside}
spec:
  ports: [{name: http, port: 80, targetPort: 8080}]
---
apiVersion: v1
kind: Endpoints
metadata: {name: outside}
subsets:
- addresses: [{ip: %s}]
  ports: [{name: http, port: 8080}]
`

// stopMirroring switches the mirroring controller off as well. A Service whose
// Endpoints somebody writes then has a slice that stays as it is: its producer
// has to write slices. The consumer's Service has nothing to do with mirroring,
// and goes on.
func (a *stopAct) stopMirroring(ctx context.Context) error {
	const first, second = "10.46.0.1", "10.46.0.2"
	if err := a.apply(ctx, fmt.Sprintf(outsideYAML, first)); err != nil {
		return err
	}
	if err := fleet.Eventually(ctx, func() error { return a.mirrored(ctx, first) }); err != nil {
		return err
	}
	list, err := a.switchOff(ctx, controllers.Endpoints, controllers.EndpointSliceMirroring)
	if err != nil {
		return err
	}
	if err := a.apply(ctx, fmt.Sprintf(outsideYAML, second)); err != nil {
		return err
	}
	if err := a.move(ctx); err != nil {
		return err
	}
	return a.check(ctx, "mirroring-stopped", func(ctx context.Context, ev *evidence) error {
		if err := a.mirrored(ctx, first); err != nil {
			return short("with --controllers=%s slices are still mirrored: %v", list, err)
		}
		ev.saw("kube-controller-manager ran with --controllers=%s: the Endpoints of a Service without a selector went from %s to %s, and its EndpointSlice still holds %s.", list, first, second, first)
		return a.follows(ctx, a.consumer, a.ready(), ev, fmt.Sprintf("After %d Pods had moved meanwhile", movable))
	})
}

// mirrored reports whether the mirrored slice holds exactly one address.
func (a *stopAct) mirrored(ctx context.Context, want string) error {
	list, err := a.client.DiscoveryV1().EndpointSlices(a.Namespace).List(ctx, metav1.ListOptions{LabelSelector: discoveryv1.LabelServiceName + "=" + outside})
	if err != nil {
		return fmt.Errorf("list EndpointSlices: %w", err)
	}
	var got []string
	for _, slice := range list.Items {
		for _, endpoint := range slice.Endpoints {
			got = append(got, endpoint.Addresses...)
		}
	}
	if !slices.Equal(got, []string{want}) {
		return fmt.Errorf("slices of %s hold %v instead of %s", outside, got, want)
	}
	return nil
}
