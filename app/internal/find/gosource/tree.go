package gosource

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/semver"
	"golang.org/x/sync/errgroup"

	"github.com/slicewright/slicewright/app/internal/find/evidence"
	"github.com/slicewright/slicewright/app/internal/find/wordsearch"
)

// maxFile bounds what is read of one file. Go files of that size are generated
// tables; the limit keeps a hostile tree from filling memory.
const maxFile = 16 << 20

// typed is the word without which a file cannot use Endpoints; it makes its
// module worth loading. By the last letters, both spellings count.
var typed = []byte("ndpoints")

// paths are words of the API server's paths. Without them and without any
// Kubernetes library, "ndpoints" is somebody else's: an SDK of a cloud has it in
// thousands of files.
var paths = wordsearch.New("api/v1", "namespaces")

// words are typed, and those that matter without types: kubectl run as a program,
// and walkers over all resources. Alone they cost no load.
var words = wordsearch.New(string(typed), "kubectl", "ServerPreferredResources", "ServerPreferredNamespacedResources", "ServerGroupsAndResources")

// tree is what a walk found.
type tree struct {
	root    string
	modules []*goModule
	loose   []*file // in no module
	links   int
}

// goModule is one go.mod and the files below it that belong to no other.
type goModule struct {
	dir   string // absolute
	path  string // as declared; the folder's name if it cannot be read
	mod   *modfile.File
	files []*file
	uses  []library // libraries of the table that it requires
	err   error
}

func (m *goModule) hasCandidates() bool {
	return slices.ContainsFunc(m.files, func(f *file) bool { return f.candidate == byTypes })
}

// candidacy says why a file is worth reading.
type candidacy int

const (
	none candidacy = iota
	bySyntax
	byTypes
)

// file is one Go file.
type file struct {
	path      string // absolute
	rel       string // slash-separated, relative to the root
	candidate candidacy
	read      bool      // its sites are in the findings already
	imports   []library // libraries of the table that its bytes name
	module    *goModule
}

// walk lists the modules and files below root and searches the files.
func walk(ctx context.Context, root string, opts Options, coverage *evidence.Coverage) *tree {
	t := &tree{root: root}
	byDir := map[string]*goModule{}
	if above := moduleAbove(root); above != "" {
		byDir[root] = newModule(above)
		t.modules = append(t.modules, byDir[root])
	}
	var files []*file
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		rel := t.rel(path)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			coverage.Skipped++
			coverage.Problem(rel, fmt.Sprintf("cannot be read: %v", err))
			if entry != nil && entry.IsDir() {
				return fs.SkipDir
			}
		case entry.Type()&fs.ModeSymlink != 0:
			t.links++ // as the go command: a loop cannot form, a target elsewhere is another tree
		case entry.IsDir():
			if path != root && skipped(entry.Name(), opts) {
				return fs.SkipDir
			}
		case entry.Name() == "go.mod":
			if !strings.Contains(rel, "vendor/") {
				m := newModule(path)
				if m.err != nil {
					coverage.Problem(rel, fmt.Sprintf("is no valid go.mod, its files are read by syntax: %v", m.err))
				}
				byDir[filepath.Dir(path)] = m
				t.modules = append(t.modules, m)
			}
		case strings.HasSuffix(path, ".go") && entry.Type().IsRegular():
			files = append(files, &file{path: path, rel: rel})
		}
		return nil
	})
	if err != nil && !errors.Is(err, ctx.Err()) {
		coverage.Problem(".", fmt.Sprintf("cannot be walked: %v", err))
	}
	for _, f := range files {
		if f.module = moduleOf(byDir, f.path, root); f.module != nil {
			f.module.files = append(f.module.files, f)
		} else {
			t.loose = append(t.loose, f)
		}
	}
	searchAll(ctx, files, coverage)
	for _, m := range t.modules {
		m.dismiss(ctx)
	}
	return t
}

// dismiss drops the candidates of a module that requires nothing of Kubernetes,
// except in folders that have words of the API server's paths.
func (m *goModule) dismiss(ctx context.Context) {
	if m.err != nil || m.mod == nil || !m.hasCandidates() || m.mayReachKubernetes() {
		return
	}
	hasPath := map[string]bool{}
	for _, f := range m.files {
		data, err := readFile(f.path)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			continue // said when it was searched
		case bytes.Contains(data, []byte("k8s.io/")):
			return // go.mod is behind the code
		case paths.In(data):
			hasPath[filepath.Dir(f.path)] = true
		}
	}
	for _, f := range m.files {
		if f.candidate == byTypes && !hasPath[filepath.Dir(f.path)] {
			f.candidate = none
		}
	}
}

// mayReachKubernetes reports whether some requirement is of Kubernetes. Since
// Go 1.17 a go.mod lists indirect ones, too; an older one proves nothing, nor
// does one in a workspace.
func (m *goModule) mayReachKubernetes() bool {
	if m.mod.Go == nil || semver.Compare("v"+m.mod.Go.Version, "v1.17") < 0 || inWorkspace(m.dir) {
		return true
	}
	if isKubernetes(m.path) {
		return true
	}
	return slices.ContainsFunc(m.mod.Require, func(r *modfile.Require) bool { return isKubernetes(r.Mod.Path) })
}

// isKubernetes reports whether a module or import path is one of Kubernetes'.
func isKubernetes(path string) bool {
	return strings.HasPrefix(path, "k8s.io/") || strings.HasPrefix(path, "sigs.k8s.io/")
}

func (t *tree) rel(path string) string {
	// What WalkDir gives begins with its root, and Rel would look at each part.
	if rel, found := strings.CutPrefix(path, t.root+string(filepath.Separator)); found {
		return filepath.ToSlash(rel)
	}
	rel, err := filepath.Rel(t.root, path)
	if err != nil {
		return filepath.ToSlash(path)
	}
	return filepath.ToSlash(rel)
}

// skipped are folders that the go command does not look into either.
func skipped(name string, opts Options) bool {
	switch {
	case name == "vendor":
		return !opts.wants(evidence.ScopeVendor)
	case name == "testdata", name == "node_modules":
		return true
	}
	return strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_")
}

// moduleAbove is the go.mod that a part of a module belongs to, if root has
// none of its own.
func moduleAbove(root string) string {
	if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
		return ""
	}
	for dir := filepath.Dir(root); ; dir = filepath.Dir(dir) {
		path := filepath.Join(dir, "go.mod")
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return path
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
	}
}

func newModule(path string) *goModule {
	m := &goModule{dir: filepath.Dir(path), path: filepath.Base(filepath.Dir(path))}
	data, err := readFile(path)
	if err != nil {
		m.err = err
		return m
	}
	m.mod, err = modfile.Parse(path, data, nil)
	if err != nil { // statements of a newer go command; ParseLax leaves replacements out
		m.mod, m.err = modfile.ParseLax(path, data, nil)
	}
	if m.err == nil && m.mod.Module != nil {
		m.path = m.mod.Module.Mod.Path
		m.uses = required(m.mod)
	}
	return m
}

// moduleOf is the module of the nearest folder above a file that has one.
func moduleOf(byDir map[string]*goModule, path, root string) *goModule {
	for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
		if m := byDir[dir]; m != nil {
			return m
		}
		if dir == root || dir == filepath.Dir(dir) {
			return nil
		}
	}
}

// searchAll searches the files, some at a time: the disk is what takes long.
func searchAll(ctx context.Context, files []*file, coverage *evidence.Coverage) {
	var group errgroup.Group
	group.SetLimit(2 * runtime.GOMAXPROCS(0))
	failures := make([]error, len(files))
	for i, f := range files {
		group.Go(func() error {
			if failures[i] = ctx.Err(); failures[i] == nil {
				failures[i] = f.search()
			}
			return nil
		})
	}
	_ = group.Wait() // each file has a failure of its own
	for i, err := range failures {
		switch {
		case err == nil:
			coverage.Read++
		case ctx.Err() != nil:
			coverage.Skipped++ // the scan says that it was stopped
		default:
			coverage.Skipped++
			coverage.Problem(files[i].rel, fmt.Sprintf("cannot be read: %v", err))
		}
	}
}

// search reads a file once and looks for the words that make it a candidate.
func (f *file) search() error {
	buffer := buffers.Get().(*[]byte)
	defer buffers.Put(buffer)
	data, err := fill(buffer, f.path)
	if err != nil {
		return err
	}
	if words.In(data) {
		f.candidate = bySyntax
		if bytes.Contains(data, typed) {
			f.candidate = byTypes
		}
	}
	if f.module != nil {
		for _, lib := range f.module.uses {
			if bytes.Contains(data, []byte(lib.Module)) {
				f.imports = append(f.imports, lib)
			}
		}
	}
	return nil
}

// hasPath reports whether the file has one of the words in paths. Few files are
// asked, so that it is not looked for in all.
func (f *file) hasPath() bool {
	data, err := readFile(f.path)
	return err == nil && paths.In(data)
}

// buffers are what files are searched in, one a goroutine that searches.
var buffers = sync.Pool{New: func() any { return new(make([]byte, 64<<10)) }}

// fill reads a file that was seen to be regular. What it returns is good until
// the buffer is used again.
func fill(buffer *[]byte, path string) ([]byte, error) {
	f, err := wordsearch.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	for n := 0; ; {
		m, err := f.Read((*buffer)[n:])
		n += m
		switch {
		case errors.Is(err, io.EOF):
			return (*buffer)[:n], nil
		case err != nil:
			return nil, err
		case n > maxFile:
			return nil, fmt.Errorf("is larger than %d MiB", maxFile>>20)
		case n == len(*buffer):
			*buffer = append(*buffer, make([]byte, n)...)
		}
	}
}

// readFile reads a regular file of bounded size.
func readFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errors.New("is no regular file")
	case info.Size() > maxFile:
		return nil, fmt.Errorf("is larger than %d MiB", maxFile>>20)
	}
	return os.ReadFile(path)
}
