// Package gobuild builds the big Go programs that a lab runs, each once, and
// keeps them: the control plane, and consumers that are modules of their own.
package gobuild

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"

	"golang.org/x/mod/modfile"
)

// Program says what to build and from what.
type Program struct {
	// Name is the file name of the built program.
	Name string
	// Title is what progress and errors call it, such as "the control plane".
	Title string
	// Dir is the folder of the module.
	Dir string
	// Modfile chooses a module file of another name, beside go.mod, whose sums
	// are in a file of the same name with .sum. "" is go.mod.
	Modfile string
	// Package is what go build is given: a folder such as "./cmd/x", or a
	// package of a module that the module file requires.
	Package string
	// Sources are patterns, relative to Dir, of the files of the module itself
	// that the program is built from. nil is every Go file of the module that is
	// no test.
	Sources []string
	// Version begins the name of the folder that keeps it, for people who look;
	// Name if empty.
	Version string
	// Tags are build tags.
	Tags []string
	// LinkFlags are for the linker. They must follow from the module file: they
	// alone do not make another program.
	LinkFlags string
}

// Cache keeps built programs. Its methods may be called concurrently.
type Cache struct {
	// Dir is the folder; see DefaultDir.
	Dir string
	// Progress gets a line now and then while it builds, which can take minutes;
	// nil is nowhere. On a terminal the line is redrawn in place.
	Progress io.Writer
	Terminal bool
}

// DefaultDir is where programs are kept: $SLICEWRIGHT_LAB_CACHE, else a folder
// in the user's cache.
func DefaultDir() (string, error) {
	if dir := os.Getenv("SLICEWRIGHT_LAB_CACHE"); dir != "" {
		return dir, nil
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("find a cache folder (set SLICEWRIGHT_LAB_CACHE): %w", err)
	}
	return filepath.Join(dir, "slicewright-lab"), nil
}

// Program returns the path of the built program, and builds it first when the
// cache has none for exactly these sources and this Go. Concurrent callers may
// build twice but never see half a file.
func (c Cache) Program(ctx context.Context, p Program) (string, error) {
	key, err := p.Key()
	if err != nil {
		return "", fmt.Errorf("look for %s: %w", p.Title, err)
	}
	version := p.Version
	if version == "" {
		version = p.Name
	}
	path := filepath.Join(c.Dir, version+"-"+key, p.Name)
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return "", fmt.Errorf("make the cache folder: %w", err)
	}
	partial := fmt.Sprintf("%s.%d", path, os.Getpid())
	defer os.Remove(partial)
	if err := c.compile(ctx, p, partial); err != nil {
		return "", fmt.Errorf("build %s: %w", p.Title, err)
	}
	if err := os.Rename(partial, path); err != nil {
		return "", fmt.Errorf("keep %s: %w", p.Title, err)
	}
	return path, nil
}

// ModuleFile is the path of the module file.
func (p Program) ModuleFile() string {
	if p.Modfile == "" {
		return filepath.Join(p.Dir, "go.mod")
	}
	return filepath.Join(p.Dir, p.Modfile)
}

// Required is the version at which the module file requires a module.
func (p Program) Required(module string) (string, error) {
	content, err := os.ReadFile(p.ModuleFile())
	if err != nil {
		return "", fmt.Errorf("read which %s to build: %w", module, err)
	}
	parsed, err := modfile.Parse(p.ModuleFile(), content, nil)
	if err != nil {
		return "", fmt.Errorf("read which %s to build: %w", module, err)
	}
	i := slices.IndexFunc(parsed.Require, func(r *modfile.Require) bool { return r.Mod.Path == module })
	if i < 0 {
		return "", fmt.Errorf("%s does not require %s", p.ModuleFile(), module)
	}
	return parsed.Require[i].Mod.Version, nil
}

// Key names everything that the program depends on: the modules, by their
// versions and checksums, the sources, the tags and the Go version.
// Requirements that are not compiled in change it as well; with a warm build
// cache that costs a link.
func (p Program) Key() (string, error) {
	sources, err := p.sources()
	if err != nil {
		return "", err
	}
	files := append([]string{p.ModuleFile(), strings.TrimSuffix(p.ModuleFile(), ".mod") + ".sum"}, sources...)
	hash := sha256.New()
	fmt.Fprintln(hash, runtime.Version(), runtime.GOARCH)
	for _, path := range files {
		content, err := os.ReadFile(path)
		if err != nil {
			return "", fmt.Errorf("read the sources: %w", err)
		}
		fmt.Fprintln(hash, filepath.Base(path), len(content))
		hash.Write(content)
	}
	for _, tag := range p.Tags {
		fmt.Fprintln(hash, "tag", tag)
	}
	return hex.EncodeToString(hash.Sum(nil))[:16], nil
}

func (p Program) sources() ([]string, error) {
	if p.Sources == nil {
		return p.allSources()
	}
	var files []string
	for _, pattern := range p.Sources {
		found, err := filepath.Glob(filepath.Join(p.Dir, pattern))
		if err != nil {
			return nil, fmt.Errorf("sources %q: %w", pattern, err)
		}
		files = append(files, found...)
	}
	return files, nil
}

// allSources are the module's Go files, in the order of their paths. Modules in
// folders below are others'.
func (p Program) allSources() ([]string, error) {
	var files []string
	err := filepath.WalkDir(p.Dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if _, err := os.Stat(filepath.Join(path, "go.mod")); path != p.Dir && (err == nil || entry.Name() == "testdata") {
				return fs.SkipDir
			}
			return nil
		}
		if filepath.Ext(path) == ".go" && !strings.HasSuffix(path, "_test.go") {
			files = append(files, path)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("find the sources: %w", err)
	}
	return files, nil
}

// compile runs go build. Its flags are the same everywhere, so that Go's own
// cache of compiled packages is shared with the tests.
func (c Cache) compile(ctx context.Context, p Program, output string) error {
	args := []string{"build", "-v", "-trimpath", "-ldflags", strings.TrimSpace("-s -w " + p.LinkFlags), "-o", output}
	if p.Modfile != "" {
		args = append(args, "-modfile="+p.Modfile)
	}
	if len(p.Tags) > 0 {
		args = append(args, "-tags="+strings.Join(p.Tags, ","))
	}
	cmd := exec.CommandContext(ctx, "go", append(args, p.Package)...)
	cmd.Dir = p.Dir
	// A program is built of its own module file alone, in no workspace.
	cmd.Env = append(os.Environ(), "GOWORK=off")
	stderr, err := cmd.StderrPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	var compiled atomic.Int64
	stop := make(chan struct{})
	finished := make(chan struct{})
	go func() {
		defer close(finished)
		c.report(p.Title, &compiled, stop)
	}()
	said := countPackages(stderr, &compiled)
	err = cmd.Wait()
	close(stop)
	<-finished
	if err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return fmt.Errorf("go build: %w\n%s", err, said)
	}
	return nil
}
