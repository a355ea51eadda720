// Package builder is a stub with the shape of the real one.
package builder

import "sigs.k8s.io/controller-runtime/pkg/client"

type Builder struct{}

func ControllerManagedBy(m any) *Builder                   { return nil }
func (b *Builder) For(o client.Object) *Builder            { return b }
func (b *Builder) Owns(o client.Object) *Builder           { return b }
func (b *Builder) Watches(o client.Object, h any) *Builder { return b }
func (b *Builder) WatchesRawSource(s any) *Builder         { return b }
func (b *Builder) Complete(r any) error                    { return nil }
