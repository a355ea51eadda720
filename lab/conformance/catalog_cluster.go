package conformance

import (
	"context"
	"errors"
	"time"

	"github.com/slicewright/slicewright/lab/controlplane"
)

// cluster are scenarios with Kubernetes' own controllers, or in which a part of
// the control plane goes away.
func cluster() []*Scenario {
	return []*Scenario{
		{
			Name:  "pods",
			Title: "101 Pods, whose slices Kubernetes writes; then all are deleted and go on serving",
			Pods:  true,
			Steps: []Step{
				{
					Say:   "101 Pods run",
					Scale: &Deployment{Replicas: 101, Pool: "1-101", Annotations: map[string]string{"serve-after-deletion": "50s"}},
					Want:  []Want{{Ready: "1-101", Endpoints: "1-101", Rule: "S1"}},
					Most:  20 * time.Second,
				},
				{
					Say:   "all are being deleted",
					Scale: &Deployment{Replicas: 0, Pool: "1-101", Annotations: map[string]string{"serve-after-deletion": "50s"}},
					Want:  []Want{{Ready: none, KubeProxy: "1-101", Published: "1-101", Rule: "S12", KubeProxyRule: "S10"}},
					Most:  20 * time.Second,
				},
			},
		},
		{
			Name:  "relist",
			Title: "the API server is away, the world changes, its history is lost",
			Alone: true,
			Steps: []Step{
				{
					Say: "slices a and b",
					Apply: []Slice{
						{Name: "a", Endpoints: []Endpoint{{Hosts: "1-3"}}},
						{Name: "b", Endpoints: []Endpoint{{Hosts: "4-6"}}},
					},
					Want: []Want{{Ready: "1-6", Rule: "S1"}},
				},
				{
					Say: "slice b changes, slice d comes",
					Lab: remember,
					Apply: []Slice{
						{Name: "b", Endpoints: []Endpoint{{Hosts: "6-8"}}},
						{Name: "d", Endpoints: []Endpoint{{Hosts: "20"}}},
					},
					Want: []Want{{Ready: "1-3,6-8,20", Rule: "S1"}},
				},
				{
					Say: "the API server is killed, etcd is put back to how it was before and compacted, the API server comes back",
					Lab: loseHistory,
					// client-go waits up to 30 seconds before it tries again.
					Most: 90 * time.Second,
					Want: []Want{{Ready: "1-6", Rule: "S16"}},
				},
				{
					Say:   "slice b changes: the new watch works",
					Apply: []Slice{{Name: "b", Endpoints: []Endpoint{{Hosts: "9"}}}},
					Most:  30 * time.Second,
					Want:  []Want{{Ready: "1-3,9", Rule: "S16"}},
				},
			},
		},
		{
			Name:  "endpoints-controller-off",
			Title: "the Endpoints controller is off, and the Pods get new addresses",
			Pods:  true,
			Alone: true,
			Steps: []Step{
				{
					Say:   "three Pods run",
					Scale: &Deployment{Replicas: 3, Pool: "1-3"},
					Want:  []Want{{Ready: "1-3", Endpoints: "1-3", Rule: "S1"}},
					Most:  20 * time.Second,
				},
				{
					Say:  "kube-controller-manager runs without the Endpoints controller; three other Pods take their place",
					Lab:  endpointsControllerOff,
					Most: time.Minute,
					Want: []Want{{Ready: "11-13", Endpoints: "1-3", Rule: "S20"}},
				},
			},
		},
	}
}

// remember keeps what etcd has of the namespace's slices.
func remember(ctx context.Context, s *stage) error {
	snapshot, err := s.engine.Lab.ControlPlane.Snapshot(ctx, "endpointslices", s.namespace)
	if err == nil && snapshot.Len() == 0 {
		err = errors.New("etcd has no slices to remember")
	}
	s.snapshot = &snapshot
	return err
}

func loseHistory(ctx context.Context, s *stage) error {
	plane := s.engine.Lab.ControlPlane
	if err := plane.Kill(controlplane.APIServer); err != nil {
		return err
	}
	if err := plane.Return(ctx, *s.snapshot); err != nil {
		return err
	}
	if _, err := plane.Compact(ctx); err != nil {
		return err
	}
	for _, name := range []string{controlplane.APIServer, controlplane.ControllerManager, controlplane.Scheduler} {
		// The latter two would wait half a minute before they try again.
		if err := s.engine.restartComponent(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

func endpointsControllerOff(ctx context.Context, s *stage) error {
	s.after = append(s.after, func(ctx context.Context) error {
		return s.engine.restartComponent(ctx, controlplane.ControllerManager)
	})
	if err := s.engine.restartComponent(ctx, controlplane.ControllerManager, "--controllers=*,-endpoints-controller"); err != nil {
		return err
	}
	return s.scale(ctx, Deployment{Replicas: 3, Pool: "11-13"})
}
