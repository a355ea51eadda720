package manifests

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/slicewright/slicewright/app/internal/find/objects"

	"github.com/slicewright/slicewright/app/internal/find/chart"
	"github.com/slicewright/slicewright/app/internal/find/evidence"
	"github.com/slicewright/slicewright/internal/manifest"
)

// Options say how to read manifests. The zero value is usable.
type Options struct {
	// Namespace is given to namespaced objects without one, as kubectl's -n
	// does at apply. "" is "default".
	Namespace string
	// MaxDocument bounds a document in bytes; 0 is 64 MiB. A JSON list counts
	// item by item, so a large dump fits as JSON. A YAML document takes about
	// twenty times its length in memory while it is read.
	MaxDocument int
	// MaxFile bounds a file in bytes; 0 is 2 GiB.
	MaxFile int64
	// Charts renders the Helm charts that are met, in Namespace. Without a Renderer
	// their templates are manifests that do not parse, and problems.
	Charts chart.Options
}

const (
	defaultMaxDocument = 64 << 20
	defaultMaxFile     = 2 << 30
	// maxProblems keeps a folder of ten thousand templates from giving a report
	// that nobody reads. What comes after is counted.
	maxProblems = 200
)

// Read reads every .yaml, .yml and .json file below the root of fsys:
// manifests, or what `kubectl get … -o yaml` has written. Documents and Lists
// of any number, in any order, are read; objects of other kinds are passed
// over. To see who wrote an Endpoints object, dump it with
// --show-managed-fields.
//
// A file, document or object that cannot be read is a problem in the coverage,
// and the rest is read all the same. An error is returned only where the root
// cannot be opened, and when ctx ends; the snapshot then holds what came before.
//
// Links to files are followed as far as fsys allows, links to folders are not.
// An os.Root keeps them inside:
//
//	root, err := os.OpenRoot(dir)
//	snapshot, coverage, err := objects.Read(ctx, root.FS(), Options{})
func Read(ctx context.Context, fsys fs.FS, opts Options) (*objects.Snapshot, evidence.Coverage, error) {
	r := newReader(opts)
	charts := chartReader{reader: r}
	err := fs.WalkDir(fsys, ".", func(name string, entry fs.DirEntry, err error) error {
		if ctxErr := ctx.Err(); ctxErr != nil {
			return ctxErr
		}
		if err != nil {
			if name == "." {
				return err
			}
			r.skip(name, fmt.Sprintf("cannot be read: %v", plainError(err)))
			return nil
		}
		if entry.IsDir() {
			if entry.Name() == ".git" || charts.covers(name) {
				return fs.SkipDir
			}
			return charts.enter(ctx, fsys, name)
		}
		if !manifestName(name) {
			return nil
		}
		r.readEntry(fsys, name, entry)
		return nil
	})
	if err != nil {
		return r.snapshot, r.finish(), fmt.Errorf("read manifests: %w", err)
	}
	return r.snapshot, r.finish(), nil
}

// ReadStream reads one stream of documents, such as standard input. Its name
// is in locators; whether it is JSON is told from its first byte.
func ReadStream(name string, stream io.Reader, opts Options) (*objects.Snapshot, evidence.Coverage) {
	r := newReader(opts)
	r.readStream(name, stream)
	return r.snapshot, r.finish()
}

// reader gathers a snapshot and its coverage from files.
type reader struct {
	opts     Options
	snapshot *objects.Snapshot
	coverage evidence.Coverage
	// What is told at the end, in one sentence each.
	defaulted, unreported int
	kustomizations        []string
	charts                int
	// known says that the stream that is being read has an object with a kind;
	// nameless are places of what has no kind, until then.
	known    bool
	nameless []string
}

func newReader(opts Options) *reader {
	if opts.Namespace == "" {
		opts.Namespace = "default"
	}
	if opts.MaxDocument == 0 {
		opts.MaxDocument = defaultMaxDocument
	}
	if opts.MaxFile == 0 {
		opts.MaxFile = defaultMaxFile
	}
	return &reader{opts: opts, snapshot: &objects.Snapshot{}, coverage: evidence.Coverage{Source: evidence.SourceRBAC}}
}

func manifestName(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".yaml", ".yml", ".json":
		return true
	}
	return false
}

func (r *reader) readEntry(fsys fs.FS, name string, entry fs.DirEntry) {
	info, err := entry.Info()
	if err == nil && entry.Type()&fs.ModeSymlink != 0 {
		info, err = fs.Stat(fsys, name)
	}
	switch {
	case err != nil:
		r.skip(name, fmt.Sprintf("cannot be read: %v", plainError(err)))
		return
	case info.IsDir():
		r.skip(name, "is a link to a folder, and such are not followed: give that folder itself")
		return
	case !info.Mode().IsRegular():
		r.skip(name, "is no regular file")
		return
	case info.Size() > r.opts.MaxFile:
		r.skip(name, fmt.Sprintf("has %d bytes, the limit is %d: dump one namespace or one kind a file", info.Size(), r.opts.MaxFile))
		return
	}
	file, err := fsys.Open(name)
	if err != nil {
		r.skip(name, fmt.Sprintf("cannot be read: %v", plainError(err)))
		return
	}
	defer file.Close()
	r.readStream(name, file)
}

func (r *reader) readStream(name string, stream io.Reader) {
	r.readDocuments(name, stream, nil)
}

// readDocuments reads a stream; place says where lines of rendered text come
// from, and is nil for a file's own.
func (r *reader) readDocuments(name string, stream io.Reader, place func(line, column int) string) {
	docs := newDocuments(stream, r.opts.MaxDocument)
	r.known, r.nameless = false, nil
	for {
		doc, err := docs.next()
		switch {
		case errors.Is(err, io.EOF):
			return
		case err != nil:
			r.skip(lineOf(name, docs.line, place), plainError(err).Error())
			if !errors.Is(err, manifest.ErrTooLong) {
				return
			}
		case doc.incomplete:
			r.skip(lineOf(name, doc.line, place), manifest.ErrIncomplete.Error())
		default:
			r.readDocument(name, doc, place)
		}
	}
}

// noKind tells of what has no kind, as soon as there is an object in the same stream:
// a file of something else altogether is nobody's mistake.
func (r *reader) noKind(at string) {
	switch {
	case r.known:
		r.skip(at, manifest.ErrNoKind.Error())
	case len(r.nameless) < maxProblems:
		r.nameless = append(r.nameless, at)
	}
}

// hasKind notes that there is an object in the stream.
func (r *reader) hasKind() {
	r.known = true
	for _, at := range r.nameless {
		r.noKind(at)
	}
	r.nameless = nil
}

func lineOf(name string, line int, place func(line, column int) string) string {
	if place != nil {
		return place(line, 1)
	}
	return fmt.Sprintf("%s:%d", objects.Clean(name), line)
}

// readDocument reads one document, or one item of a JSON list.
func (r *reader) readDocument(name string, doc document, place func(line, column int) string) {
	root, offset := doc.root, 0
	if root == nil {
		at := lineOf(name, doc.line, place)
		if bytes.IndexByte(doc.text, 0) >= 0 || !utf8.Valid(doc.text) {
			r.skip(at, "is binary or not UTF-8")
			return
		}
		if kustomizationName(name) {
			r.kustomizations = append(r.kustomizations, at)
			return
		}
		// Every object says its kind. Text that does not is passed over without
		// the cost of a parser: values, pipelines, dashboards.
		if !bytes.Contains(doc.text, []byte("kind")) {
			r.noKind(at)
			return
		}
		var err error
		if root, err = parseYAML(doc.text); err != nil {
			message := fmt.Sprintf("does not parse: %v", plainError(err))
			if bytes.Contains(doc.text, []byte("{{")) {
				message += "; it looks like a template: " + renderFirst
			}
			r.skip(at, message)
			return
		}
		offset = doc.line - 1
	}
	if root != nil {
		r.readNode(origin{objects.Clean(name), offset, place}, root, doc.list, 0)
	}
}

func kustomizationName(name string) bool {
	switch path.Base(name) {
	case "kustomization.yaml", "kustomization.yml":
		return true
	}
	return false
}

func (r *reader) skip(locator, message string) {
	r.coverage.Skipped++
	r.problem(locator, message)
}

func (r *reader) problem(locator, message string) {
	if len(r.coverage.Problems) >= maxProblems {
		r.unreported++
		return
	}
	r.coverage.Problem(objects.Clean(locator), objects.Clean(message))
}

func (r *reader) finish() evidence.Coverage {
	c := r.coverage
	c.Read = r.snapshot.Len()
	note := func(format string, args ...any) { c.Notes = append(c.Notes, fmt.Sprintf(format, args...)) }
	if r.unreported > 0 {
		note("%d more problems are not listed.", r.unreported)
	}
	if r.defaulted > 0 {
		note("%d objects name no namespace and were read as of namespace %q.", r.defaulted, r.opts.Namespace)
	}
	if r.charts > 0 {
		note("%d Helm charts were rendered.", r.charts)
	}
	for _, at := range r.kustomizations {
		note("%s: a kustomization is not rendered; give the output of kustomize build to see what it changes.", at)
	}
	return c
}

// plainError takes the first line of an error that a parser may have built from
// the text itself.
func plainError(err error) error {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return errors.New(objects.Clean(line))
}
