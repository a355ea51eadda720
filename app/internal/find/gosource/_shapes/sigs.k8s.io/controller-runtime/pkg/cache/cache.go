// Package cache is a stub with the shape of the real one.
package cache

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

type (
	Informer interface{ AddEventHandler(any) (any, error) }
	Cache    interface {
		client.Reader
		GetInformer(ctx context.Context, obj client.Object, opts ...any) (Informer, error)
	}
)

type (
	ByObject struct{}
	Options  struct{ ByObject map[client.Object]ByObject }
)
