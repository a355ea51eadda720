// Package search reads the sources of a search: trees of source code, manifests,
// a cluster, audit logs and metrics. What they say is put together in package
// pipeline, which reads nothing.
package search

import (
	"context"
	"slices"

	"github.com/slicewright/slicewright/app/internal/find/evidence"
	"github.com/slicewright/slicewright/app/internal/find/pipeline"
)

// Source is one place to search.
type Source interface {
	// Doing says in a few words what is being done, such as "reading audit logs".
	Doing() string
	// Read adds to found what the source says. What cannot be read is told in the
	// coverage; an error is what makes the whole search pointless. progress may be
	// called with words like those of Doing, in the caller's goroutine.
	Read(ctx context.Context, found *pipeline.Found, progress func(doing string)) error
}

// Run reads sources one after the other. It ends at the first error, and when ctx
// ends with its cause. progress is told what is being done.
func Run(ctx context.Context, sources []Source, progress func(doing string)) (pipeline.Found, error) {
	var found pipeline.Found
	for _, s := range sources {
		progress(s.Doing())
		if err := s.Read(ctx, &found, progress); err != nil {
			return found, err
		}
		if ctx.Err() != nil {
			return found, context.Cause(ctx)
		}
	}
	return found, nil
}

// Scopes say which code is looked into beside a project's own.
type Scopes struct {
	Tests, Generated, Vendor bool
}

// list returns the scopes by name.
func (s Scopes) list() []evidence.Scope {
	var out []evidence.Scope
	for scope, wanted := range map[evidence.Scope]bool{
		evidence.ScopeTest: s.Tests, evidence.ScopeGenerated: s.Generated, evidence.ScopeVendor: s.Vendor,
	} {
		if wanted {
			out = append(out, scope)
		}
	}
	slices.Sort(out)
	return out
}
