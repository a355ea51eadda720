// Package objects stands for object clients of another make.
package objects

import "context"

type Client struct{}

func (*Client) List(ctx context.Context, into any) error { return nil }

type Controller[T any] interface {
	OnChange(ctx context.Context, name string, f func(string, T) (T, error))
	Get(namespace, name string) (T, error)
}
