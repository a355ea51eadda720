// Package client is a stub with the shape of the real one.
package client

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
)

type Object interface{ runtime.Object }
type ObjectList interface{ runtime.Object }
type ObjectKey = types.NamespacedName
type ListOption interface{}
type Patch interface{}

type Reader interface {
	Get(ctx context.Context, key ObjectKey, obj Object) error
	List(ctx context.Context, list ObjectList, opts ...ListOption) error
}
type Client interface {
	Reader
	Create(ctx context.Context, obj Object) error
	Update(ctx context.Context, obj Object) error
	Patch(ctx context.Context, obj Object, p Patch) error
	Delete(ctx context.Context, obj Object) error
}

func MergeFrom(obj Object) Patch               { return nil }
func ObjectKeyFromObject(obj Object) ObjectKey { return ObjectKey{} }
