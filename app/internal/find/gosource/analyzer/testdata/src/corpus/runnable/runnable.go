// Package runnable hands a generic reader to a manager.
package runnable

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

type poller[T client.ObjectList] struct {
	c    client.Reader
	into T
}

// Start is called by the manager.
func (p *poller[T]) Start(ctx context.Context) error { // want Start:`takes\(0,1\)`
	var into T
	return p.c.List(ctx, into)
}

func add(register func(any), c client.Reader) {
	register(&poller[*corev1.EndpointsList]{c: c}) // want `go/generic list`
	register(&poller[*corev1.PodList]{c: c})
}
