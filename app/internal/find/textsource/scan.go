package textsource

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/slicewright/slicewright/app/internal/find/chart"
	"github.com/slicewright/slicewright/app/internal/find/evidence"
	"github.com/slicewright/slicewright/app/internal/find/textsource/detect"
	"github.com/slicewright/slicewright/app/internal/find/wordsearch"
)

// Options choose what is read. The zero value reads a project's own code and
// configuration: no tests, no generated files, no vendored code.
type Options struct {
	Tests     bool
	Generated bool
	Vendor    bool
	// MaxFileSize is the largest file, in bytes, that is read as what it is
	// once the prefilter found a word in it. 0 means 16 MiB. A larger one is a
	// problem in the coverage, never silence.
	MaxFileSize int64
	// Workers is how many files are read at a time. 0 means one a processor.
	Workers int
	// Charts renders the Helm charts in the tree, beside reading their templates
	// as they are. Without a Renderer none is.
	Charts chart.Options
}

const defaultMaxFileSize = 16 << 20

func (o Options) wants(s evidence.Scope) bool {
	switch s {
	case evidence.ScopeTest:
		return o.Tests
	case evidence.ScopeGenerated:
		return o.Generated
	case evidence.ScopeVendor:
		return o.Vendor
	}
	return true
}

// Scan reads every file under dir that is not Go and returns what it found,
// ordered by path and place, and what it read. Locators are path:line:column
// with a path relative to dir and a column in bytes, both from 1.
//
// It never fails as a whole: what cannot be read, dir itself included, is a
// problem in the coverage. When ctx ends, what was found so far is returned
// and the coverage says that the scan was cut short.
func Scan(ctx context.Context, dir string, opts Options) ([]evidence.Finding, evidence.Coverage) {
	if opts.MaxFileSize <= 0 {
		opts.MaxFileSize = defaultMaxFileSize
	}
	if opts.Workers <= 0 {
		opts.Workers = runtime.GOMAXPROCS(0)
	}
	cov := evidence.Coverage{Source: evidence.SourceText}
	root, err := filepath.EvalSymlinks(dir)
	if err != nil {
		cov.Problem(dir, "not read: "+reason(err))
		return nil, cov
	}
	s := &scan{root: root, opts: opts}
	if info, err := os.Stat(root); err == nil && !info.IsDir() {
		// One file is a tree of one.
		s.root = filepath.Dir(root)
		w := s.newWorker()
		w.file(job{path: filepath.Base(root)})
		return s.finish(ctx, []*worker{w}, cov, nil)
	}
	skipped := map[string]int{}
	workers := s.readTree(ctx, &walker{root: s.root, opts: opts, cov: &cov, skipped: skipped})
	return s.finish(ctx, workers, cov, skipped)
}

// readTree walks the tree and reads its files by several workers at a time.
func (s *scan) readTree(ctx context.Context, walk *walker) []*worker {
	// Jobs travel in batches: a channel operation a file would cost as much as
	// searching it.
	const batch = 64
	jobs := make(chan []job, 4*s.opts.Workers)
	workers := make([]*worker, s.opts.Workers)
	var wg sync.WaitGroup
	for i := range workers {
		w := s.newWorker()
		workers[i] = w
		wg.Go(func() {
			for list := range jobs {
				for _, j := range list {
					w.file(j)
				}
			}
		})
	}
	pending := make([]job, 0, batch)
	err := walk.walk(ctx, func(j job) error {
		pending = append(pending, j)
		if len(pending) < batch {
			return nil
		}
		full := pending
		pending = make([]job, 0, batch)
		select {
		case jobs <- full:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	})
	if err == nil && len(pending) > 0 {
		jobs <- pending
	}
	close(jobs)
	wg.Wait()
	if err != nil {
		walk.cov.Problem(".", fmt.Sprintf("scan cut short: %v; what follows in the tree was not read", err))
	}
	return workers
}

// scan is what all workers share.
type scan struct {
	root  string
	opts  Options
	bytes atomic.Int64 // seen by the prefilter, for benchmarks
}

// finish joins what the workers have, in one order whatever theirs was.
func (s *scan) finish(ctx context.Context, workers []*worker, cov evidence.Coverage, skipped map[string]int) ([]evidence.Finding, evidence.Coverage) {
	var files []fileResult
	var charts chartFiles
	kinds := map[string]int{}
	for _, w := range workers {
		files = append(files, w.results...)
		charts.add(w.charts)
		cov.Read += w.read
		cov.Skipped += w.binary + w.other + w.prose
		for ext, n := range w.unread {
			kinds[ext] += n
		}
		if skipped == nil {
			skipped = map[string]int{}
		}
		skipped["binary files"] += w.binary
		skipped["generated files"] += w.generated
		skipped["files for people to read"] += w.prose
	}
	slices.SortFunc(files, func(a, b fileResult) int { return strings.Compare(a.path, b.path) })
	files = s.renderCharts(ctx, charts, files, &cov)
	var out []evidence.Finding
	for _, f := range files {
		for i, finding := range f.findings {
			if by := turnedBy(files, f.path, f.settings[i]); by != "" {
				cov.Notes = append(cov.Notes, fmt.Sprintf("no finding: the library at %s is turned to EndpointSlices in %s", finding.Evidence[0].Locator, by))
				continue
			}
			out = append(out, finding)
		}
		cov.Problems = append(cov.Problems, f.problems...)
	}
	for _, what := range slices.Sorted(maps.Keys(skipped)) {
		if n := skipped[what]; n > 0 {
			cov.Notes = append(cov.Notes, fmt.Sprintf("not read: %d %s", n, what))
			switch what {
			case "binary files", "files for people to read":
			default:
				cov.Skipped += n
			}
		}
	}
	if len(kinds) > 0 {
		cov.Notes = append(cov.Notes, "not read by this source, by kind: "+topKinds(kinds))
	}
	return out, cov
}

// turnedBy is the file, beside a dependency list or below it, that turns a
// library to slices; "" if there is none.
func turnedBy(files []fileResult, list, setting string) string {
	if setting == "" {
		return ""
	}
	dir := ""
	if i := strings.LastIndexByte(list, '/'); i >= 0 {
		dir = list[:i+1]
	}
	for _, f := range files {
		if strings.HasPrefix(f.path, dir) && slices.Contains(f.turned, setting) {
			return f.path
		}
	}
	return ""
}

// topKinds names the most frequent kinds, ten at most.
func topKinds(kinds map[string]int) string {
	names := slices.SortedFunc(maps.Keys(kinds), func(a, b string) int {
		if d := kinds[b] - kinds[a]; d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	var parts []string
	for i, name := range names {
		if i == 10 {
			parts = append(parts, fmt.Sprintf("%d more kinds", len(names)-i))
			break
		}
		parts = append(parts, fmt.Sprintf("%s %d", name, kinds[name]))
	}
	return strings.Join(parts, ", ")
}

// fileResult is what one file gave; most files give nothing and have none.
type fileResult struct {
	path     string
	findings []evidence.Finding
	problems []evidence.Problem
	settings []string // for each finding, what would make it none
	turned   []string // settings that this file turns to slices
}

// worker reads files one after another into one buffer.
type worker struct {
	*scan
	buf     []byte
	results []fileResult
	read    int
	judged  int // read as what they are
	binary  int
	other   int
	prose   int
	// generated counts programs that say themselves that nobody wrote them.
	generated int
	unread    map[string]int
	charts    chartFiles
}

func (s *scan) newWorker() *worker {
	return &worker{scan: s, buf: make([]byte, 64<<10), unread: map[string]int{}}
}

// binaryProbe is how much of a file is looked at for a NUL byte, as grep does.
const binaryProbe = 8 << 10

// file searches one file and, if it has a word, reads it.
func (w *worker) file(j job) {
	w.charts.see(j.path)
	k, known := detect.FileOf(j.path)
	if known && (k.Kind == detect.Other || k.Kind == detect.Prose) {
		w.unjudged(j, k.Kind)
		return
	}
	data, size, err := w.search(j.path, &k)
	switch {
	case err == errBinary:
		w.binary++
	case err == errNoText:
		w.unjudged(j, k.Kind)
	case err != nil:
		w.results = append(w.results, fileResult{path: j.path, problems: []evidence.Problem{{Locator: j.path, Message: "not read: " + reason(err)}}})
		w.other++
	case size > w.opts.MaxFileSize:
		w.results = append(w.results, fileResult{path: j.path, problems: []evidence.Problem{{Locator: j.path, Message: fmt.Sprintf("has words to look for but is %d bytes, more than %d; raise the limit to read it", size, w.opts.MaxFileSize)}}})
		w.other++
	default:
		w.read++
		if data != nil {
			if j.scope == evidence.ScopeOwn && k.Kind == detect.Code && isGenerated(data) {
				j.scope = evidence.ScopeGenerated
				if !w.opts.wants(j.scope) {
					w.read--
					w.generated++
					return
				}
			}
			w.judged++
			w.charts.word(j.path)
			w.judge(j, k, data)
		}
	}
}

func (w *worker) unjudged(j job, k detect.Kind) {
	if k == detect.Prose {
		w.prose++
		return
	}
	w.other++
	ext := filepath.Ext(j.path)
	if ext == "" || len(ext) > 12 {
		ext = "(none)"
	}
	w.unread[ext]++
}

var (
	errBinary = errors.New("binary")
	errNoText = errors.New("of no known kind")
)

// longestWord is how much of a block must be searched again with the next block.
const longestWord = 32

// search reads a file. It returns the whole content if a word is in it, nil if
// none is, and the size alone if it is too large to keep. The content is good
// until the next call.
func (w *worker) search(name string, k *detect.File) ([]byte, int64, error) {
	f, err := wordsearch.Open(w.root + string(filepath.Separator) + filepath.FromSlash(name))
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	n, err := readFull(f, w.buf)
	if err != nil && err != io.EOF {
		return nil, 0, err
	}
	if bytes.IndexByte(w.buf[:min(n, binaryProbe)], 0) >= 0 {
		return nil, 0, errBinary
	}
	if k.Kind == detect.Other {
		if *k = detect.FileByContent(w.buf[:n]); k.Kind == detect.Other {
			return nil, 0, errNoText
		}
	}
	for err == nil && int64(n) <= w.opts.MaxFileSize {
		w.buf = append(w.buf, make([]byte, len(w.buf))...)
		var m int
		m, err = readFull(f, w.buf[n:])
		n += m
		if err != nil && err != io.EOF {
			return nil, 0, err
		}
	}
	found := rooms.HasWord(k.Kind, w.buf[:n])
	size := int64(n)
	for err == nil { // too large to keep: only search what is left
		kept := copy(w.buf, w.buf[len(w.buf)-longestWord:])
		n, err = readFull(f, w.buf[kept:])
		size += int64(n)
		if err != nil && err != io.EOF {
			return nil, size, err
		}
		found = found || rooms.HasWord(k.Kind, w.buf[:kept+n])
	}
	w.bytes.Add(size)
	switch {
	case !found:
		return nil, 0, nil
	case size > w.opts.MaxFileSize:
		return nil, size, nil
	}
	return w.buf[:n], size, nil
}

// readFull fills buf; io.EOF says that the file ended before or right there.
func readFull(r io.Reader, buf []byte) (int, error) {
	n, err := io.ReadFull(r, buf)
	if err == io.ErrUnexpectedEOF {
		err = io.EOF
	}
	return n, err
}
