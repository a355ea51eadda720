package conformance

import (
	"context"
	"fmt"
	"maps"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"

	"github.com/slicewright/slicewright/internal/pause"
)

// scale writes the Deployment of Service web, and returns when there are as many
// Pods as it wants, those that are terminating not counted.
func (s *stage) scale(ctx context.Context, d Deployment) error {
	pool, err := s.block.set(d.Pool)
	if err != nil {
		return err
	}
	annotations := map[string]string{
		"lab.slicewright.dev/pool": fmt.Sprintf("%s-%s", pool[0].Addr(), pool[len(pool)-1].Addr()),
	}
	for name, value := range maps.All(d.Annotations) {
		annotations["lab.slicewright.dev/"+name] = value
	}
	labels := map[string]string{"app": defaultService}
	deployment := &appsv1.Deployment{
		TypeMeta:   metav1.TypeMeta{APIVersion: "apps/v1", Kind: "Deployment"},
		ObjectMeta: metav1.ObjectMeta{Name: defaultService},
		Spec: appsv1.DeploymentSpec{
			Replicas: ptr.To(int32(d.Replicas)),
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: v1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels, Annotations: annotations},
				Spec: v1.PodSpec{
					TerminationGracePeriodSeconds: ptr.To(int64(60)),
					Containers:                    []v1.Container{{Name: "web", Image: "web", Ports: []v1.ContainerPort{{ContainerPort: defaultPort}}}},
				},
			},
		},
	}
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(deployment)
	if err != nil {
		return fmt.Errorf("encode the Deployment: %w", err)
	}
	delete(content, "status")
	if err := s.engine.objects.Apply(ctx, &unstructured.Unstructured{Object: content}, s.namespace); err != nil {
		return err
	}
	return s.awaitPods(ctx, d.Replicas)
}

// awaitPods waits until n Pods run that are not terminating.
func (s *stage) awaitPods(ctx context.Context, n int) error {
	ctx, cancel := context.WithTimeoutCause(ctx, startPatience, fmt.Errorf("not within %s", startPatience))
	defer cancel()
	for {
		pods, err := s.engine.Lab.Client.CoreV1().Pods(s.namespace).List(ctx, metav1.ListOptions{})
		running := 0
		if err == nil {
			for _, pod := range pods.Items {
				if pod.DeletionTimestamp == nil && pod.Status.Phase == v1.PodRunning {
					running++
				}
			}
			if running == n {
				return nil
			}
		}
		if pause.For(ctx, 100*time.Millisecond) != nil {
			return fmt.Errorf("%d Pods run instead of %d (%v): %w", running, n, err, context.Cause(ctx))
		}
	}
}
