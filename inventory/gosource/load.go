package gosource

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/tools/go/packages"

	"github.com/slicewright/slicewright/inventory/evidence"
)

// load asks the go command which packages a module has and which files and
// imports they have. Nothing is compiled: types come from source, see check.
func load(ctx context.Context, dir string, m *goModule, opts Options) ([]*packages.Package, error) {
	return packages.Load(&packages.Config{
		Context: ctx,
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedDeps |
			packages.NeedModule,
		Dir:        dir,
		Env:        environment(dir, m, opts.Environ),
		Tests:      opts.wants(evidence.ScopeTest),
		BuildFlags: []string{"-tags=" + strings.Join(opts.BuildTags, ",")},
	}, "./...")
}

// environment keeps the go command off the network and off the tree: no module
// is fetched, no toolchain switched to, no go.mod changed, whatever the user's
// own settings say. Cgo stays on so that files that import "C" are seen; they
// are type-checked without running it.
func environment(dir string, m *goModule, environ []string) []string {
	if environ == nil {
		environ = os.Environ()
	}
	env := slices.DeleteFunc(slices.Clone(environ), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return slices.Contains([]string{"GOFLAGS", "GOPROXY", "GOTOOLCHAIN", "GOWORK", "GO111MODULE", "CGO_ENABLED", "GOPACKAGESDRIVER", "PWD"}, name)
	})
	env = append(env, "GOFLAGS=", "GOPROXY=off", "GOTOOLCHAIN=local", "CGO_ENABLED=1", "GOPACKAGESDRIVER=off", "PWD="+dir)
	if !inWorkspace(m.dir) {
		env = append(env, "GOWORK=off")
	}
	return env
}

// inWorkspace reports whether the nearest go.work uses the module. One that
// does not would make the go command refuse it.
func inWorkspace(dir string) bool {
	for at := dir; ; at = filepath.Dir(at) {
		path := filepath.Join(at, "go.work")
		if data, err := readFile(path); err == nil {
			work, err := modfile.ParseWork(path, data, nil)
			if err != nil {
				return false
			}
			return slices.ContainsFunc(work.Use, func(use *modfile.Use) bool {
				used := filepath.FromSlash(use.Path)
				if !filepath.IsAbs(used) {
					used = filepath.Join(at, used)
				}
				return filepath.Clean(used) == dir
			})
		}
		if at == filepath.Dir(at) {
			return false
		}
	}
}
