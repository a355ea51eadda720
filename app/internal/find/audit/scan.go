package audit

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/slicewright/slicewright/app/internal/find/evidence"
)

// Scan reads logs and returns what they say. Each path is a file, a directory
// (all files in it, without following links to directories) or "-" for stdin.
// What cannot be read is a problem in the coverage and ends nothing; only a
// cancelled ctx does.
func Scan(ctx context.Context, paths []string, stdin io.Reader, opts Options) Result {
	s := newScanner(opts)
	for _, in := range s.inputs(paths) {
		if ctx.Err() != nil {
			s.coverage.Problem(in.name, "not read: "+context.Cause(ctx).Error())
			continue
		}
		s.file(ctx, in, stdin)
	}
	return s.result()
}

// ScanReader reads one log from r.
func ScanReader(ctx context.Context, name string, r io.Reader, opts Options) Result {
	s := newScanner(opts)
	s.stream(ctx, name, r)
	return s.result()
}

type scanner struct {
	opts     Options
	ledger   *Ledger
	window   window
	seen     sightings
	coverage evidence.Coverage
	text     int
}

func newScanner(opts Options) *scanner {
	opts = opts.withDefaults()
	return &scanner{
		opts:     opts,
		ledger:   NewLedger(opts),
		window:   window{gap: opts.GapAfter},
		coverage: evidence.Coverage{Source: evidence.SourceAudit},
	}
}

func (s *scanner) result() Result {
	c := s.coverage
	c.Notes = append(s.window.notes(), c.Notes...)
	if s.text > 0 {
		c.Notes = append(c.Notes, fmt.Sprintf("%d lines are other text, not audit events.", s.text))
	}
	s.ledger.cover(&c)
	coverSightings(&c, s.seen)
	s.ledger.coverSilence(&c)
	totals := s.ledger.Totals()
	totals.First, totals.Last = s.window.bounds()
	totals.Interruptions = max(0, len(s.window.spans)-1)
	return Result{Findings: s.ledger.Findings(), Coverage: c, Totals: totals}
}

// file reads one input: a plain file of lines in parallel, all else as a stream.
func (s *scanner) file(ctx context.Context, in input, stdin io.Reader) {
	if in.name == "-" {
		s.stream(ctx, "stdin", stdin)
		return
	}
	f, err := os.Open(in.name)
	if err != nil {
		s.coverage.Skipped++
		s.coverage.Problem(in.name, "cannot be read: "+err.Error())
		return
	}
	defer f.Close()
	info, err := f.Stat()
	if err == nil && info.Mode().IsRegular() {
		head := make([]byte, headSize)
		n, _ := f.ReadAt(head, 0)
		if head = head[:n]; !gzipped(head) && detect(head) == formatLines {
			s.parallel(ctx, in.name, func(jobs chan<- job) error { return fileJobs(ctx, f, info.Size(), jobs) })
			return
		}
	}
	s.stream(ctx, in.name, f)
}

// stream reads an input that cannot be read at several places at once.
func (s *scanner) stream(ctx context.Context, name string, r io.Reader) {
	buffered := bufio.NewReaderSize(r, headSize)
	head, _ := buffered.Peek(headSize)
	var in io.Reader = buffered
	if gzipped(head) {
		z, err := gzip.NewReader(buffered)
		if err != nil {
			s.coverage.Skipped++
			s.coverage.Problem(name, "is no gzip file: "+err.Error())
			return
		}
		defer z.Close()
		buffered = bufio.NewReaderSize(z, headSize)
		head, _ = buffered.Peek(headSize)
		in = buffered
	}
	switch detect(head) {
	case formatBinary:
		s.coverage.Skipped++
		s.coverage.Problem(name, "is a binary file")
	case formatDocument:
		s.document(ctx, name, in)
	default:
		s.parallel(ctx, name, func(jobs chan<- job) error { return streamJobs(ctx, in, s.opts.MaxLine, jobs) })
	}
}

// document reads JSON documents one record after the other.
func (s *scanner) document(ctx context.Context, name string, r io.Reader) {
	var d decoder
	var b batch
	flush := func() {
		b.events, b.seen = d.events, d.seen
		s.count(name, 0, &b)
		records := b.records
		b = batch{records: records}
		d.events, d.seen = d.events[:0], sightings{}
	}
	split := splitter{
		max: s.opts.MaxLine,
		record: func(rec []byte, whole bool) {
			switch {
			case !whole:
				d.oversizedLine(rec, &b)
				return
			case hasNeedle(rec):
				if v, _ := d.record(rec, 0); v == broken {
					b.cuts++
				}
			}
			b.records++
			if t := lastTime(rec); !t.IsZero() {
				b.from, b.to = nonZero(b.from, t), t
			}
			if len(d.events) >= 1024 || b.records%4096 == 0 {
				flush()
			}
		},
		cut: func() { b.cuts++ },
	}
	b.err = split.split(contextReader{ctx, r})
	flush()
	s.coverage.Read += b.records
}

type contextReader struct {
	ctx context.Context
	r   io.Reader
}

func (r contextReader) Read(p []byte) (int, error) {
	if err := context.Cause(r.ctx); err != nil {
		return 0, err
	}
	return r.r.Read(p)
}

// job is one chunk to decode: a place in a file, or data that a stream gave.
type job struct {
	file io.ReaderAt
	off  int64
	data []byte // nil for a file
	head bool   // data is the beginning of a line that is too long
	done chan batch
}

// chunkSize keeps a chunk and what is decoded from it in a core's own cache;
// measured best between 256 KiB and 1 MiB.
const chunkSize = 512 << 10

// parallel decodes the jobs that produce sends on several goroutines, and counts
// their results in the order in which they were sent.
func (s *scanner) parallel(ctx context.Context, name string, produce func(chan<- job) error) {
	// Chunks that were sent and not yet counted; bounds the memory in flight.
	ahead := 4 * s.opts.Workers
	jobs := make(chan job)
	work := make(chan job)
	order := make(chan chan batch, ahead)
	var failed error // written before order is closed
	go func() {
		failed = produce(jobs)
		close(jobs)
	}()
	go func() {
		for j := range jobs {
			j.done = make(chan batch, 1)
			order <- j.done
			work <- j
		}
		close(work)
		close(order)
	}()
	var workers sync.WaitGroup
	for range s.opts.Workers {
		workers.Go(func() { s.work(work) })
	}
	lines := 0
	for done := range order {
		b := <-done
		s.count(name, lines, &b)
		lines += b.records
	}
	workers.Wait()
	s.coverage.Read += lines
	if failed != nil {
		s.coverage.Problem(name, fmt.Sprintf("read up to line %d only: %v", lines, reason(failed)))
	}
}

func reason(err error) string {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return "the compressed file is truncated"
	}
	return err.Error()
}

// work decodes chunks with one decoder and one buffer.
func (s *scanner) work(jobs <-chan job) {
	var d decoder
	var buf []byte
	for j := range jobs {
		var b batch
		d.events, d.seen = nil, sightings{}
		switch {
		case j.head:
			d.oversizedLine(j.data, &b)
		case j.data != nil:
			d.lines(j.data, &b)
		default:
			var lines, head []byte
			lines, head, buf, b.err = chunk(j.file, j.off, chunkSize, s.opts.MaxLine, buf)
			d.lines(lines, &b)
			if head != nil {
				d.oversizedLine(head, &b)
			}
		}
		b.events, b.seen = d.events, d.seen
		j.done <- b
	}
}

// count enters a batch. lines is the number of lines before it.
func (s *scanner) count(name string, lines int, b *batch) {
	for i := range b.events {
		s.ledger.Add(&b.events[i])
	}
	s.window.add(b.from, b.to)
	s.seen.add(b.seen)
	s.text += b.text
	s.coverage.Skipped += b.cuts + b.headless
	for _, n := range b.cut {
		s.coverage.Problem(fmt.Sprintf("%s:%d", name, lines+n), "the line is cut or no valid JSON")
	}
	if rest := b.cuts - len(b.cut); rest > 0 {
		s.coverage.Problem(name, fmt.Sprintf("%d more records are cut or no valid JSON", rest))
	}
	if b.headless > 0 {
		s.coverage.Problem(name, fmt.Sprintf("%d lines are longer than %d bytes, and their beginning does not tell what they are", b.headless, s.opts.MaxLine))
	}
	if n := b.oversized - b.headless; n > 0 {
		s.coverage.Notes = append(s.coverage.Notes, fmt.Sprintf("%s: %d lines are longer than %d bytes; only their beginning was read.", name, n, s.opts.MaxLine))
	}
	if b.err != nil {
		s.coverage.Problem(name, "not read to its end: "+reason(b.err))
	}
}

// fileJobs cuts a file into chunks.
func fileJobs(ctx context.Context, f io.ReaderAt, size int64, jobs chan<- job) error {
	for off := int64(0); off < size; off += chunkSize {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		jobs <- job{file: f, off: off}
	}
	return nil
}

// streamJobs cuts a stream into chunks of whole lines.
func streamJobs(ctx context.Context, r io.Reader, maxLine int, jobs chan<- job) error {
	var rest []byte // the beginning of a line whose end was not read yet
	for {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		buf := make([]byte, len(rest)+chunkSize)
		have := copy(buf, rest)
		n, err := io.ReadFull(r, buf[have:])
		buf = buf[:have+n]
		if err != nil {
			if len(buf) > 0 {
				jobs <- job{data: buf}
			}
			// ReadFull's own ErrUnexpectedEOF means only that r ended here. A
			// truncated gzip stream returns the same error, and on each further
			// Read again.
			if err == io.EOF || err == io.ErrUnexpectedEOF {
				_, err = r.Read(make([]byte, 1))
			}
			if err == io.EOF {
				return nil
			}
			return err
		}
		last := bytes.LastIndexByte(buf, '\n') + 1
		if last > 0 {
			jobs <- job{data: buf[:last]}
		}
		rest = buf[last:]
		if len(rest) > maxLine {
			jobs <- job{data: rest, head: true}
			if rest, err = skipLine(r); err != nil {
				if err == io.EOF {
					return nil
				}
				return err
			}
		}
	}
}

// skipLine reads to the end of the line and returns what it read behind it.
func skipLine(r io.Reader) ([]byte, error) {
	buf := make([]byte, 64<<10)
	for {
		n, err := r.Read(buf)
		if i := bytes.IndexByte(buf[:n], '\n'); i >= 0 {
			return buf[i+1 : n], nil
		}
		if err != nil {
			return nil, err
		}
	}
}
