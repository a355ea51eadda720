package kubelet

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// podStatus is what changes about a Pod's status while it lives.
type podStatus struct {
	running bool
	ready   bool
}

// statusPatch is a strategic merge patch for the status subresource: the parts
// of the status that a kubelet owns.
func statusPatch(object *v1.Pod, addresses []netip.Addr, started time.Time, want podStatus) ([]byte, error) {
	now := metav1.Now()
	since := metav1.NewTime(started)
	status := v1.PodStatus{
		Phase:     v1.PodRunning,
		StartTime: &since,
		Conditions: []v1.PodCondition{
			condition(object, v1.PodInitialized, true, now),
			condition(object, v1.ContainersReady, want.ready, now),
			condition(object, v1.PodReady, want.ready, now),
		},
	}
	for i, a := range addresses {
		if i == 0 {
			status.PodIP = a.String()
		}
		status.PodIPs = append(status.PodIPs, v1.PodIP{IP: a.String()})
	}
	for _, container := range object.Spec.Containers {
		status.ContainerStatuses = append(status.ContainerStatuses, v1.ContainerStatus{
			Name:    container.Name,
			Image:   container.Image,
			ImageID: "lab://" + container.Image,
			Ready:   want.ready,
			Started: ptr.To(true),
			State:   v1.ContainerState{Running: &v1.ContainerStateRunning{StartedAt: since}},
		})
	}
	patch, err := json.Marshal(map[string]any{
		// The UID makes a patch for a Pod that was replaced fail.
		"metadata": map[string]any{"uid": object.UID},
		"status":   status,
	})
	if err != nil {
		return nil, fmt.Errorf("encode the status of Pod %s/%s: %w", object.Namespace, object.Name, err)
	}
	return patch, nil
}

// condition keeps the time of the last change if nothing changed.
func condition(object *v1.Pod, kind v1.PodConditionType, holds bool, now metav1.Time) v1.PodCondition {
	c := v1.PodCondition{Type: kind, Status: v1.ConditionFalse, LastTransitionTime: now}
	if holds {
		c.Status = v1.ConditionTrue
	}
	if kind == v1.PodReady && !holds {
		c.Reason = "ContainersNotReady"
	}
	for _, old := range object.Status.Conditions {
		if old.Type == kind && old.Status == c.Status {
			c.LastTransitionTime = old.LastTransitionTime
		}
	}
	return c
}
