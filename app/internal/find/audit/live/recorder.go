package live

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/slicewright/slicewright/app/internal/find/audit"
	"github.com/slicewright/slicewright/app/internal/find/evidence"
	"github.com/slicewright/slicewright/internal/atomicfile"
)

// Recorder counts events and keeps them on disk. It is safe for use by several
// goroutines.
type Recorder struct {
	dir     string
	metrics *Metrics

	mu       sync.Mutex // guards everything below
	ledger   *audit.Ledger
	follow   position
	first    time.Time // the window of what was counted
	last     time.Time
	problems []evidence.Problem
	journal  journal
	number   int // of the journal
	read     int // events of all kinds that were looked at
	changed  uint64
}

// journal is an open journal file; tests look at the order of its calls.
type journal interface {
	io.WriteCloser
	Name() string
	Sync() error
}

// snapshot is the state file. Journals with its number and above are newer.
type snapshot struct {
	Version  int                `json:"version"`
	Journal  int                `json:"journal"`
	Ledger   *audit.Ledger      `json:"ledger"`
	Follow   position           `json:"follow"`
	First    time.Time          `json:"first,omitzero"`
	Last     time.Time          `json:"last,omitzero"`
	Read     int                `json:"read"`
	Problems []evidence.Problem `json:"problems,omitempty"`
}

const stateVersion = 1

// Open returns a recorder with the state that dir holds, which is made if it
// does not exist. Only one process may use a directory.
func Open(dir string, opts audit.Options, metrics *Metrics) (*Recorder, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("opening the state: %w", err)
	}
	r := &Recorder{dir: dir, ledger: audit.NewLedger(opts)}
	if err := r.load(); err != nil {
		return nil, fmt.Errorf("opening the state in %s: %w", dir, err)
	}
	// A journal whose end was torn off is never written to again.
	if err := r.rotate(); err != nil {
		return nil, fmt.Errorf("opening the state in %s: %w", dir, err)
	}
	// Counters begin at zero with the process: what was replayed is not new.
	r.metrics = metrics
	return r, nil
}

func (r *Recorder) load() error {
	b, err := os.ReadFile(filepath.Join(r.dir, "state.json"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err == nil {
		s := snapshot{Ledger: r.ledger}
		if err := json.Unmarshal(b, &s); err != nil {
			return fmt.Errorf("state.json is damaged (%w): move it away to begin again", err)
		}
		if s.Version != stateVersion {
			return fmt.Errorf("state.json has version %d, this program reads %d", s.Version, stateVersion)
		}
		r.follow, r.first, r.last, r.read, r.problems, r.number = s.Follow, s.First, s.Last, s.Read, s.Problems, s.Journal
	}
	numbers, err := r.journals()
	if err != nil {
		return err
	}
	for _, n := range numbers {
		if n < r.number {
			continue
		}
		if err := r.replay(n); err != nil {
			return err
		}
	}
	if len(numbers) > 0 {
		r.number = max(r.number, numbers[len(numbers)-1]+1)
	}
	return nil
}

func (r *Recorder) journalName(n int) string {
	return filepath.Join(r.dir, fmt.Sprintf("journal-%08d", n))
}

// journals lists the numbers of the journals, in order.
func (r *Recorder) journals() ([]int, error) {
	entries, err := os.ReadDir(r.dir)
	if err != nil {
		return nil, err
	}
	var out []int
	for _, e := range entries {
		rest, ok := strings.CutPrefix(e.Name(), "journal-")
		if n, err := strconv.Atoi(rest); ok && err == nil && n >= 0 {
			out = append(out, n)
		}
	}
	slices.Sort(out)
	return out, nil
}

// replay counts the batches of a journal. A last line without its end was never
// acknowledged; a broken line before it is damage.
func (r *Recorder) replay(n int) error {
	f, err := os.Open(r.journalName(n))
	if err != nil {
		return err
	}
	defer f.Close()
	in := bufio.NewReaderSize(f, 1<<20)
	for number := 1; ; number++ {
		line, err := in.ReadBytes('\n')
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		var b record
		if err := json.Unmarshal(line, &b); err != nil {
			return fmt.Errorf("journal %d is damaged in line %d (%w): move it away to go on without what follows", n, number, err)
		}
		r.count(b.Events, b.Read)
	}
}

// record is one line of a journal: a batch, whole or not at all.
type record struct {
	Read   int           `json:"read"`
	Events []audit.Event `json:"events"`
}

// rotate begins a new journal. The folder is synced too, since the file itself
// could be missing after a crash.
func (r *Recorder) rotate() error {
	f, err := os.OpenFile(r.journalName(r.number), os.O_CREATE|os.O_EXCL|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	if err := atomicfile.SyncFolder(r.dir); err != nil {
		f.Close()
		return err
	}
	if r.journal != nil {
		r.journal.Close()
	}
	r.journal = f
	return nil
}

// Accept makes a batch durable and counts it. After nil it is kept through any
// crash; after an error it was not counted, and the caller may send it again.
func (r *Recorder) Accept(events []audit.Event, read int) error {
	line, err := json.Marshal(record{Read: read, Events: events})
	if err != nil {
		return fmt.Errorf("writing the journal: %w", err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	// A batch without one of our events changes only a count: nothing to lose.
	if len(events) > 0 {
		if err := r.append(append(line, '\n')); err != nil {
			return fmt.Errorf("writing the journal: %w", err)
		}
	}
	r.count(events, read)
	return nil
}

// append writes and syncs. What a failed write left behind would damage the
// next line, so a new journal is begun.
func (r *Recorder) append(line []byte) error {
	_, err := r.journal.Write(line)
	if err == nil {
		err = r.journal.Sync()
	}
	if err == nil {
		return nil
	}
	// The torn piece has no line end, or the batch is read and sent again: both
	// are right, since events count once.
	r.number++
	return errors.Join(err, r.rotate())
}

// count enters events; the caller holds mu or is alone.
func (r *Recorder) count(events []audit.Event, read int) {
	r.read += read
	for i := range events {
		e := &events[i]
		fresh := r.ledger.Add(e)
		r.metrics.count(e, fresh)
		if !e.At.IsZero() {
			if r.first.IsZero() || e.At.Before(r.first) {
				r.first = e.At
			}
			if e.At.After(r.last) {
				r.last = e.At
			}
		}
	}
	if len(events) > 0 {
		r.changed++
	}
	r.metrics.read(read)
}

// Checkpoint writes the state and drops the journals that it contains.
func (r *Recorder) Checkpoint() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.number++
	if err := r.rotate(); err != nil {
		r.number--
		return fmt.Errorf("beginning a new journal: %w", err)
	}
	var b bytes.Buffer
	err := json.NewEncoder(&b).Encode(snapshot{
		Version: stateVersion, Journal: r.number, Ledger: r.ledger, Follow: r.follow,
		First: r.first, Last: r.last, Read: r.read, Problems: r.problems,
	})
	if err == nil {
		err = atomicfile.Write(filepath.Join(r.dir, "state.json"), b.Bytes(), 0o600)
	}
	if err != nil {
		return fmt.Errorf("writing the state: %w", err)
	}
	numbers, err := r.journals()
	if err != nil {
		return fmt.Errorf("dropping old journals: %w", err)
	}
	for _, n := range numbers {
		if n < r.number {
			if err := os.Remove(r.journalName(n)); err != nil {
				return fmt.Errorf("dropping old journals: %w", err)
			}
		}
	}
	return nil
}

// Close writes a last checkpoint.
func (r *Recorder) Close() error {
	err := r.Checkpoint()
	r.mu.Lock()
	defer r.mu.Unlock()
	return errors.Join(err, r.journal.Close())
}

// Changed is a number that grows with each batch that held something.
func (r *Recorder) Changed() uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.changed
}

// Result returns what was found so far.
func (r *Recorder) Result() audit.Result {
	r.mu.Lock()
	defer r.mu.Unlock()
	c := r.ledger.Coverage()
	c.Read = r.read
	if !r.first.IsZero() {
		c.Notes = append([]string{fmt.Sprintf("Live: events from %s to %s.", r.first.UTC().Format(time.RFC3339), r.last.UTC().Format(time.RFC3339))}, c.Notes...)
	}
	c.Problems = append(c.Problems, r.problems...)
	return audit.Result{Findings: r.ledger.Findings(), Coverage: c, Totals: r.ledger.Totals()}
}

// maxProblems bounds the list of what a follower missed.
const maxProblems = 100

func (r *Recorder) problem(locator, message string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.problems) < maxProblems {
		r.problems = append(r.problems, evidence.Problem{Locator: locator, Message: message})
	}
	r.changed++
}

// advance counts what a follower read and moves its position, both at once.
func (r *Recorder) advance(events []audit.Event, read int, to position) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.count(events, read)
	r.follow = to
}

func (r *Recorder) followed() position {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.follow
}

func (r *Recorder) openWatches() map[string]int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.ledger.OpenWatches()
}
