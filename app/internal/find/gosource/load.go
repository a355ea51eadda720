package gosource

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/tools/go/packages"

	"github.com/slicewright/slicewright/app/internal/find/evidence"
)

// load asks the go command which packages a module has and which files and
// imports they have. Nothing is compiled: types come from source, see check.
//
// A workspace whose other modules are not all there makes the go command refuse
// every one of them; the module is then loaded without it.
func load(ctx context.Context, dir string, m *goModule, opts Options) ([]*packages.Package, error) {
	workspace := inWorkspace(m.dir)
	roots, err := loadIn(ctx, dir, workspace, opts)
	if workspace && !usable(roots) {
		roots, err = loadIn(ctx, dir, false, opts)
	}
	if err == nil && !usable(roots) {
		err = errors.New("it names no packages there")
		if len(roots) > 0 && len(roots[0].Errors) > 0 {
			err = roots[0].Errors[0]
		}
	}
	return roots, err
}

// loadLoose asks for folders that are in no module, as the go command knew them
// before modules: with the standard library and nothing else.
func loadLoose(ctx context.Context, root string, dirs []string, opts Options) ([]*packages.Package, error) {
	config := configuration(ctx, root, false, opts)
	config.Env = append(config.Env, "GO111MODULE=off", "GOPATH="+filepath.Join(root, ".no-gopath"))
	return packages.Load(config, dirs...)
}

// usable reports whether there is any package, be it one whose files are all
// for tests or for another system.
func usable(roots []*packages.Package) bool {
	return slices.ContainsFunc(roots, func(p *packages.Package) bool {
		return len(p.Errors) == 0 || len(p.GoFiles)+len(p.IgnoredFiles) > 0
	})
}

func loadIn(ctx context.Context, dir string, workspace bool, opts Options) ([]*packages.Package, error) {
	return packages.Load(configuration(ctx, dir, workspace, opts), "./...")
}

func configuration(ctx context.Context, dir string, workspace bool, opts Options) *packages.Config {
	return &packages.Config{
		Context: ctx,
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedDeps |
			packages.NeedModule,
		Dir:        dir,
		Env:        environment(dir, workspace, opts.Environ),
		Tests:      opts.wants(evidence.ScopeTest),
		BuildFlags: []string{"-tags=" + strings.Join(opts.BuildTags, ",")},
	}
}

// environment keeps the go command off the network and off the tree: no module
// is fetched, no toolchain switched to, no go.mod changed, whatever the user's
// own settings say. Cgo stays on so that files that import "C" are seen; they
// are type-checked without running it.
func environment(dir string, workspace bool, environ []string) []string {
	if environ == nil {
		environ = os.Environ()
	}
	env := slices.DeleteFunc(slices.Clone(environ), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return slices.Contains([]string{"GOFLAGS", "GOPROXY", "GOTOOLCHAIN", "GOWORK", "GO111MODULE", "CGO_ENABLED", "GOPACKAGESDRIVER", "PWD"}, name)
	})
	env = append(env, "GOFLAGS=", "GOPROXY=off", "GOTOOLCHAIN=local", "CGO_ENABLED=1", "GOPACKAGESDRIVER=off", "PWD="+dir)
	if !workspace {
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
