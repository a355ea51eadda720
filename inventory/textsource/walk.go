package textsource

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/slicewright/slicewright/inventory/evidence"
)

// job is a file to look at.
type job struct {
	path  string // slash-separated, relative to the root
	scope evidence.Scope
}

// walker lists a tree. It follows no symbolic link to a directory, so a loop
// cannot catch it, and a link to a file only when it stays in the tree: the
// target is then read under its own name anyway.
type walker struct {
	root string
	opts Options
	cov  *evidence.Coverage
	// skipped counts by reason, for the coverage's notes.
	skipped map[string]int
}

// neverRead are directories that hold no text of anybody.
var neverRead = map[string]bool{".git": true, ".hg": true, ".svn": true, ".jj": true, "__pycache__": true, ".terraform": true, ".gradle": true, ".mypy_cache": true, ".tox": true, ".idea": true}

// vendorDirs hold other people's code.
var vendorDirs = map[string]bool{"node_modules": true, "vendor": true, "third_party": true, "bower_components": true, "site-packages": true, ".venv": true, "venv": true, ".yarn": true, "Pods": true}

// testDirs hold tests and what they read.
var testDirs = map[string]bool{"test": true, "tests": true, "__tests__": true, "testdata": true, "__mocks__": true, "e2e": true}

// generatedDirs hold what a build left.
var generatedDirs = map[string]bool{"target": true, "dist": true, "generated": true}

// walk calls visit for every regular file that is to be read.
func (w *walker) walk(ctx context.Context, visit func(job) error) error {
	err := filepath.WalkDir(w.root, func(p string, d fs.DirEntry, err error) error {
		if ctxErr := ctx.Err(); ctxErr != nil {
			return ctxErr
		}
		rel := w.relative(p)
		if err != nil {
			w.cov.Problem(rel, "not read: "+reason(err))
			if d != nil && d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if d.IsDir() {
			return w.directory(rel, d.Name())
		}
		if d.Type()&fs.ModeSymlink != 0 {
			w.skipped["symbolic links"]++
			return nil
		}
		if !d.Type().IsRegular() {
			w.skipped["devices, pipes and sockets"]++
			return nil
		}
		scope := scopeOf(rel)
		if !w.opts.wants(scope) {
			w.skipped[string(scope)+" files"]++
			return nil
		}
		return visit(job{path: rel, scope: scope})
	})
	return err
}

// directory decides whether a directory is entered.
func (w *walker) directory(rel, name string) error {
	if rel == "." {
		return nil
	}
	if neverRead[name] {
		return fs.SkipDir
	}
	// A whole directory out of scope is not even listed: that is most of the
	// time that node_modules would cost.
	if vendorDirs[name] && !w.opts.Vendor {
		w.skipped["vendor directories"]++
		return fs.SkipDir
	}
	return nil
}

func (w *walker) relative(p string) string {
	rel, err := filepath.Rel(w.root, p)
	if err != nil {
		return filepath.ToSlash(p)
	}
	return filepath.ToSlash(rel)
}

// scopeOf tells by its path alone whose a file is.
func scopeOf(rel string) evidence.Scope {
	dir := path.Dir(rel)
	scope := evidence.ScopeOwn
	for dir != "." && dir != "/" {
		name := path.Base(dir)
		switch {
		case vendorDirs[name]:
			return evidence.ScopeVendor
		case testDirs[name]:
			scope = evidence.ScopeTest
		case generatedDirs[name] && scope == evidence.ScopeOwn:
			scope = evidence.ScopeGenerated
		}
		dir = path.Dir(dir)
	}
	if scope != evidence.ScopeOwn {
		return scope
	}
	base := path.Base(rel)
	stem := strings.TrimSuffix(base, path.Ext(base))
	switch {
	case strings.HasPrefix(base, "test_") && strings.HasSuffix(base, ".py"),
		strings.HasSuffix(stem, "_test"), strings.HasSuffix(stem, ".test"), strings.HasSuffix(stem, ".spec"),
		base == "conftest.py",
		isClassFile(base) && (strings.HasSuffix(stem, "Test") || strings.HasSuffix(stem, "Tests") || strings.HasSuffix(stem, "IT")):
		return evidence.ScopeTest
	case strings.HasSuffix(base, ".min.js"), strings.HasSuffix(base, ".g.cs"), strings.HasSuffix(base, "_pb2.py"), strings.HasSuffix(base, ".d.ts"):
		return evidence.ScopeGenerated
	}
	return evidence.ScopeOwn
}

func isClassFile(base string) bool {
	switch path.Ext(base) {
	case ".java", ".kt", ".cs", ".scala", ".groovy":
		return true
	}
	return false
}

// reason is an error without the path in it, which the locator has already.
func reason(err error) string {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	if errors.Is(err, os.ErrPermission) {
		return "no permission; run as a user who may read it"
	}
	return err.Error()
}
