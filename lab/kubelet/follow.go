package kubelet

import (
	"context"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/tools/cache"
)

// followPods hands every change of a bound Pod to its goroutine, until ctx
// ends.
func (k *Kubelet) followPods(ctx context.Context) {
	// spec.nodeName!= leaves out Pods that nobody has bound yet.
	source := cache.NewListWatchFromClient(k.config.Client.CoreV1().RESTClient(), "pods", v1.NamespaceAll,
		fields.OneTermNotEqualSelector("spec.nodeName", ""))
	cache.NewReflectorWithOptions(source, &v1.Pod{}, podEvents{ctx, k}, cache.ReflectorOptions{
		Name: "the lab's kubelet",
		// The usual back-off grows to half a minute, in which an API server that a
		// scenario killed has long been back and waits for us.
		Backoff: &wait.Backoff{Duration: 50 * time.Millisecond, Factor: 2, Steps: 10, Cap: 500 * time.Millisecond, Jitter: 0.1},
	}).RunWithContext(ctx)
}

// podEvents is where the reflector puts what it reads. It keeps nothing: the
// Pods' goroutines do.
type podEvents struct {
	ctx     context.Context
	kubelet *Kubelet
}

func (e podEvents) Add(object any) error {
	if pod, ok := object.(*v1.Pod); ok {
		e.kubelet.update(e.ctx, pod)
	}
	return nil
}

func (e podEvents) Update(object any) error { return e.Add(object) }

func (e podEvents) Delete(object any) error {
	if pod, ok := object.(*v1.Pod); ok {
		e.kubelet.forget(pod.UID)
	}
	return nil
}

// Replace is a list: what is not in it is gone.
func (e podEvents) Replace(objects []any, _ string) error {
	listed := map[types.UID]bool{}
	for _, object := range objects {
		if pod, ok := object.(*v1.Pod); ok {
			listed[pod.UID] = true
			e.kubelet.update(e.ctx, pod)
		}
	}
	for _, uid := range e.kubelet.running() {
		if !listed[uid] {
			e.kubelet.forget(uid)
		}
	}
	return nil
}

func (podEvents) Resync() error { return nil }
