// Package client is a stub with the shape of the real one.
package client

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
)

type (
	Object     interface{ runtime.Object }
	ObjectList interface{ runtime.Object }
	ObjectKey  = types.NamespacedName
	ListOption interface{}
	Patch      interface{}
)

type Reader interface {
	Get(ctx context.Context, key ObjectKey, obj Object, opts ...any) error
	List(ctx context.Context, list ObjectList, opts ...ListOption) error
}
type Client interface {
	Reader
	Create(ctx context.Context, obj Object, opts ...any) error
	Update(ctx context.Context, obj Object, opts ...any) error
	Patch(ctx context.Context, obj Object, p Patch, opts ...any) error
	DeleteAllOf(ctx context.Context, obj Object, opts ...any) error
	Delete(ctx context.Context, obj Object, opts ...any) error
}

func MergeFrom(obj Object) Patch               { return nil }
func ObjectKeyFromObject(obj Object) ObjectKey { return ObjectKey{} }

type (
	Options        struct{ Scheme *runtime.Scheme }
	InNamespace    string
	MatchingLabels map[string]string
)

func New(config *rest.Config, options Options) (Client, error) { return nil, nil }

type FieldIndexer interface {
	IndexField(ctx context.Context, obj Object, field string, extract func(Object) []string) error
}
