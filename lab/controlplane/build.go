package controlplane

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/slicewright/slicewright/lab/gobuild"
)

const labModule = "github.com/slicewright/slicewright/lab"

// Build says which control plane to build and where to keep it.
type Build struct {
	// Source is the folder of the lab's module.
	Source string
	// Modfile chooses the Kubernetes version: the go.mod, beside Source's own,
	// that requires it. "" is go.mod itself. Another version of Kubernetes is
	// another file of requirements, never another program.
	Modfile string
	// Cache is the folder of built programs; see CacheDir.
	Cache string
	// Progress gets a line now and then while it builds: the first build takes
	// 5 to 15 minutes on 2 cores. On a terminal the line is redrawn in place.
	Progress io.Writer
	Terminal bool
}

// CacheDir is where control planes are kept: $SLICEWRIGHT_LAB_CACHE, else a
// folder in the user's cache.
func CacheDir() (string, error) { return gobuild.DefaultDir() }

// FindSource finds the lab's module: dir, its folder lab, or those of a folder
// above.
func FindSource(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("find the lab's module: %w", err)
	}
	for at := dir; ; at = filepath.Dir(at) {
		for _, candidate := range []string{at, filepath.Join(at, "lab")} {
			content, err := os.ReadFile(filepath.Join(candidate, "go.mod"))
			if err == nil && modfile.ModulePath(content) == labModule {
				return candidate, nil
			}
		}
		if at == filepath.Dir(at) {
			return "", fmt.Errorf("module %s is not in %s or above it: run from a checkout of slicewright", labModule, dir)
		}
	}
}

// Program returns the path of the built control plane, and builds it first
// when the cache has none for exactly these sources and this Go.
func (b Build) Program(ctx context.Context) (string, error) {
	program, err := b.program()
	if err != nil {
		return "", err
	}
	return gobuild.Cache{Dir: b.Cache, Progress: b.Progress, Terminal: b.Terminal}.Program(ctx, program)
}

// program is what to build: the multi-call binary at the version of
// k8s.io/kubernetes that the module file requires.
func (b Build) program() (gobuild.Program, error) {
	p := gobuild.Program{
		Name:    "lab-controlplane",
		Dir:     b.Source,
		Modfile: b.Modfile,
		Package: "./cmd/lab-controlplane",
		Sources: []string{filepath.Join("cmd", "lab-controlplane", "*.go")},
	}
	version, err := p.Required("k8s.io/kubernetes")
	if err != nil {
		return gobuild.Program{}, err
	}
	p.Version, p.LinkFlags = version, linkFlags(version)
	p.Title = "the Kubernetes " + version + " control plane"
	return p, nil
}

// linkFlags put the version in, without which the components take themselves
// for v0.0.0 and refuse to work together.
func linkFlags(version string) string {
	const in = "k8s.io/component-base/version."
	major, rest, _ := strings.Cut(strings.TrimPrefix(version, "v"), ".")
	minor, _, _ := strings.Cut(rest, ".")
	return fmt.Sprintf("-X %sgitVersion=%s -X %sgitMajor=%s -X %sgitMinor=%s", in, version, in, major, in, minor)
}
