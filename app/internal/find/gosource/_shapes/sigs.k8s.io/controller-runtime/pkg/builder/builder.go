// Package builder is a stub with the shape of the real one.
package builder

import "sigs.k8s.io/controller-runtime/pkg/client"

type Builder struct{}

func ControllerManagedBy(m any) *Builder                                { return nil }
func (b *Builder) For(o client.Object, opts ...any) *Builder            { return b }
func (b *Builder) Owns(o client.Object, opts ...any) *Builder           { return b }
func (b *Builder) Watches(o client.Object, h any, opts ...any) *Builder { return b }
func (b *Builder) WatchesRawSource(s any) *Builder                      { return b }
func (b *Builder) Complete(r any) error                                 { return nil }

func (b *Builder) Named(name string) *Builder     { return b }
func (b *Builder) WithOptions(o any) *Builder     { return b }
func (b *Builder) WithEventFilter(p any) *Builder { return b }
func (b *Builder) Build(r any) (any, error)       { return nil, nil }
