package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"sync"
)

// pkg is a package as go list has it.
type pkg struct {
	ImportPath   string
	Dir          string
	Name         string
	Export       string // the file that says which types it exports
	GoFiles      []string
	Imports      []string
	TestGoFiles  []string
	TestImports  []string
	XTestGoFiles []string
	XTestImports []string

	exports  map[string]string // by import path, of what it imports
	testedBy []*pkg            // the packages whose tests are run
	borders  bool              // a comparison is swapped for its neighbour, and not for its opposite
	places   []*place

	once  sync.Once
	built *built // guarded by once
	err   error  // guarded by once: its tests cannot be built, or do not pass
}

func (p *pkg) hasTests() bool { return len(p.TestGoFiles)+len(p.XTestGoFiles) > 0 }

func (p *pkg) usesRapid() bool {
	const path = "pgregory.net/rapid"
	return slices.Contains(p.TestImports, path) || slices.Contains(p.XTestImports, path)
}

// load returns the packages that patterns name. What only tests use, a package
// whose name ends in test, is left out.
func load(ctx context.Context, patterns []string, borders bool) ([]*pkg, error) {
	named, err := list(ctx, slices.Concat([]string{"-json=ImportPath"}, patterns))
	if err != nil {
		return nil, err
	}
	withImports, err := list(ctx, slices.Concat([]string{"-export", "-deps", "-json=ImportPath,Dir,Name,Export,GoFiles,Imports,TestGoFiles,TestImports,XTestGoFiles,XTestImports"}, patterns))
	if err != nil {
		return nil, err
	}
	workspace, err := list(ctx, []string{"-json=ImportPath,Dir,Imports,TestGoFiles,TestImports,XTestGoFiles,XTestImports", "work"})
	if err != nil {
		return nil, err
	}
	exports := map[string]string{}
	for _, p := range withImports {
		exports[p.ImportPath] = p.Export
	}
	var packages []*pkg
	for _, p := range withImports {
		if len(p.GoFiles) == 0 || strings.HasSuffix(p.Name, "test") ||
			!slices.ContainsFunc(named, func(n *pkg) bool { return n.ImportPath == p.ImportPath }) {
			continue
		}
		p.exports, p.borders = exports, borders
		p.testedBy = p.testers(workspace)
		packages = append(packages, p)
	}
	if len(packages) == 0 {
		return nil, fmt.Errorf("%s: no package with code", strings.Join(patterns, " "))
	}
	return packages, nil
}

// testers are the packages whose tests should notice a swap: the package itself,
// and those whose rooms it is one of, which lie above it and import it. Without
// any they are all that import it.
func (p *pkg) testers(workspace []*pkg) []*pkg {
	var above, importers []*pkg
	for _, o := range workspace {
		if !o.hasTests() || !slices.Contains(slices.Concat(o.Imports, o.TestImports, o.XTestImports), p.ImportPath) {
			continue
		}
		importers = append(importers, o)
		if strings.HasPrefix(p.ImportPath, o.ImportPath+"/") {
			above = append(above, o)
		}
	}
	if p.hasTests() {
		return slices.Concat([]*pkg{p}, above)
	}
	if len(above) > 0 {
		return above
	}
	return importers
}

func list(ctx context.Context, args []string) ([]*pkg, error) {
	cmd := exec.CommandContext(ctx, "go", slices.Concat([]string{"list"}, args)...)
	var errOut bytes.Buffer
	cmd.Stderr = &errOut
	text, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w: %s", err, strings.TrimSpace(errOut.String()))
	}
	var all []*pkg
	for d := json.NewDecoder(bytes.NewReader(text)); d.More(); {
		var p pkg
		if err := d.Decode(&p); err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		all = append(all, &p)
	}
	return all, nil
}
