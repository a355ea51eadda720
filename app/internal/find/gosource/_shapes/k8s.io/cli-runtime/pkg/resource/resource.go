// Package resource is a stub with the shape of the real one.
package resource

type Builder struct{}

func (b *Builder) ResourceTypeOrNameArgs(allow bool, args ...string) *Builder { return b }
func (b *Builder) ResourceTypes(types ...string) *Builder                     { return b }
func (b *Builder) Do() *Builder                                               { return b }
