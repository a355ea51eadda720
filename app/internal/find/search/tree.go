package search

import (
	"context"
	"path/filepath"

	"github.com/slicewright/slicewright/app/internal/find/chart"
	"github.com/slicewright/slicewright/app/internal/find/codeowners"
	"github.com/slicewright/slicewright/app/internal/find/gosource"
	"github.com/slicewright/slicewright/app/internal/find/pipeline"
	"github.com/slicewright/slicewright/app/internal/find/textsource"
)

// Tree is a directory of source code.
type Tree struct {
	Dir    string
	Scopes Scopes
	// BuildTags are those of go build -tags.
	BuildTags []string
	Charts    chart.Options
}

// Doing implements [Source].
func (t Tree) Doing() string { return "searching source" }

// Read implements [Source]: each scanner reads a part of the files.
func (t Tree) Read(ctx context.Context, found *pipeline.Found, _ func(string)) error {
	out := pipeline.Tree{Name: filepath.Base(t.Dir), OwnerOf: codeowners.Load(t.Dir).Of}
	if abs, err := filepath.Abs(t.Dir); err == nil {
		out.Name = filepath.Base(abs)
	}
	var code, text pipeline.Reading
	code.Findings, code.Coverage = gosource.Scan(ctx, t.Dir, gosource.Options{Scopes: t.Scopes.list(), BuildTags: t.BuildTags})
	text.Findings, text.Coverage = textsource.Scan(ctx, t.Dir, textsource.Options{
		Tests: t.Scopes.Tests, Generated: t.Scopes.Generated, Vendor: t.Scopes.Vendor, Charts: t.Charts,
	})
	out.Readings = []pipeline.Reading{code, text}
	found.Trees = append(found.Trees, out)
	return nil
}
