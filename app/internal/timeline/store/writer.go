package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/slicewright/slicewright/app/internal/timeline"
)

// ErrTakenOver: another recorder writes to the same recording.
var ErrTakenOver = errors.New("another recorder has taken over the recording")

// Run describes one recording into a database.
type Run struct {
	// Source says where the events come from, for people.
	Source string
	// Scope says what is recorded. A database holds one scope: a slice that is
	// outside of the second run's would look as if it had gone.
	Scope string
	// Started is when the run begins.
	Started time.Time
	// MaxSize bounds the database in bytes, 0 for no bound. The oldest part goes
	// first.
	MaxSize int64
}

// MinSize is the least MaxSize: a few segments, and the log beside the file.
const MinSize = 32 << 20

// Writer appends events to a recording. It is not safe for concurrent use.
//
// After an error the writer is dead: what was committed is kept, the batch is
// lost, and every further call returns the same error.
type Writer struct {
	db        *sql.DB
	dialect   dialect
	run       Run
	runID     int64
	state     *timeline.State
	until     time.Time // of the last event or Seen
	seq       int64     // of the last event
	segment   *segment
	tx        *sql.Tx
	prepared  map[string]*sql.Stmt // of tx, which closes them
	batches   int                  // since the beginning, for trim
	committed time.Time
	err       error
}

// Create opens the recording at path, a file or a postgres:// URL, for writing,
// making it where it is not there. A recording that exists goes on: its last state is taken up, and from
// where it ended until the new beginning a gap will be seen.
func Create(ctx context.Context, path string, run Run) (*Writer, error) {
	if run.MaxSize != 0 && run.MaxSize < MinSize {
		return nil, fmt.Errorf("a recording needs at least %d MiB, not %d bytes", MinSize>>20, run.MaxSize)
	}
	w := &Writer{dialect: sqlite, run: run, state: timeline.NewState()}
	var err error
	if IsServer(path) {
		w.dialect = postgres
		if run.MaxSize != 0 {
			return nil, errors.New("a size is for files: a server's own means bound a database")
		}
		w.db, err = openPostgres(ctx, path, true)
	} else {
		w.db, err = createFile(ctx, path)
	}
	if err != nil {
		return nil, err
	}
	if err := w.begin(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("record into %s: %w", DisplayName(path), err), w.db.Close())
	}
	return w, nil
}

// begin takes up what the database holds and starts a run.
func (w *Writer) begin(ctx context.Context) error {
	last, err := lastRun(ctx, w.db)
	if err != nil {
		return err
	}
	if last.ID != 0 {
		if last.Scope != w.run.Scope {
			return fmt.Errorf("it holds %q, which is not %q: use another file", last.Scope, w.run.Scope)
		}
		if err := w.takeUp(ctx, last); err != nil {
			return err
		}
	}
	w.runID = last.ID + 1
	if w.run.Started.Before(w.until) {
		w.run.Started = w.until
	}
	started := toMicros(w.run.Started)
	if err := w.exec(ctx, insertRun, w.runID, w.run.Source, w.run.Scope, started, started); err != nil {
		return err
	}
	return w.Commit(ctx)
}

// takeUp folds the last segment, which begins with a whole state.
func (w *Writer) takeUp(ctx context.Context, last RunInfo) error {
	r := &Reader{db: w.db, dialect: w.dialect}
	segments, err := r.segments(ctx)
	if err != nil || len(segments) == 0 {
		return err
	}
	for ev, err := range r.from(ctx, segments[len(segments)-1:], time.Time{}) {
		if err != nil {
			return fmt.Errorf("take up what was recorded before: %w", err)
		}
		w.state.Apply(ev)
		w.seq, w.until = ev.Seq, ev.At
	}
	if last.Until.After(w.until) {
		w.until = last.Until
	}
	return nil
}

// State is what the events so far add up to. The caller must not change it.
func (w *Writer) State() *timeline.State { return w.state }

// Until is the moment of the last event, or zero in a new recording.
func (w *Writer) Until() time.Time { return w.until }

// Empty reports whether the recording holds no event at all.
func (w *Writer) Empty() bool { return w.seq == 0 }

// Committed is the moment up to which everything is kept.
func (w *Writer) Committed() time.Time { return w.committed }

// Append adds an event to the batch. It sets the event's Seq, and its At not
// before that of the last one.
func (w *Writer) Append(ctx context.Context, ev timeline.Event) error {
	if w.err != nil {
		return w.err
	}
	if ev.At.Before(w.until) {
		ev.At = w.until
	}
	if w.segment == nil || w.segment.full() {
		if err := w.newSegment(ctx, ev.At); err != nil {
			return w.fail(err)
		}
	}
	if err := w.put(ctx, &ev); err != nil {
		return w.fail(err)
	}
	w.state.Apply(ev)
	return nil
}

// Seen notes that everything up to at was seen, though nothing happened.
func (w *Writer) Seen(at time.Time) {
	if at.After(w.until) {
		w.until = at
	}
}

// Commit ends the batch: what was appended is kept from now on.
func (w *Writer) Commit(ctx context.Context) error {
	if w.err != nil {
		return w.err
	}
	if err := w.commit(ctx); err != nil {
		return w.fail(err)
	}
	return nil
}

func (w *Writer) commit(ctx context.Context) error {
	if err := w.guard(ctx); err != nil {
		return err
	}
	if err := w.exec(ctx, `UPDATE run SET until = ? WHERE id = ?`, toMicros(w.until), w.runID); err != nil {
		return err
	}
	if err := w.trim(ctx); err != nil {
		return err
	}
	tx := w.tx
	w.tx, w.prepared = nil, nil
	if err := tx.Commit(); err != nil {
		return err
	}
	w.committed = w.until
	return nil
}

// guard stops the older of two recorders: the newer one has a higher run.
func (w *Writer) guard(ctx context.Context) error {
	if err := w.open(ctx); err != nil {
		return err
	}
	var newest int64
	if err := w.tx.QueryRowContext(ctx, `SELECT MAX(id) FROM run`).Scan(&newest); err != nil {
		return err
	}
	if newest != w.runID {
		return ErrTakenOver
	}
	return nil
}

// Close commits, marks the run as ended and closes the database. After an error
// it closes alone.
func (w *Writer) Close(ctx context.Context) error {
	err := w.err
	if err == nil {
		err = w.exec(ctx, `UPDATE run SET ended = ? WHERE id = ?`, toMicros(w.until), w.runID)
	}
	if err == nil {
		err = w.Commit(ctx)
	}
	if closeErr := w.db.Close(); err == nil {
		err = closeErr
	}
	return err
}

// fail rolls the batch back, so that what was committed before stays as it is.
func (w *Writer) fail(err error) error {
	if w.tx != nil {
		w.tx.Rollback() // the first error is the one that matters
		w.tx, w.prepared = nil, nil
	}
	kept := "nothing is kept"
	if !w.committed.IsZero() {
		kept = "everything up to " + w.committed.Format(time.RFC3339Nano) + " is kept"
	}
	w.err = fmt.Errorf("write the recording: %w; %s", err, kept)
	return w.err
}

func (w *Writer) open(ctx context.Context) error {
	if w.tx != nil {
		return nil
	}
	// The batch outlives the call that opens it: an interrupt must not take back
	// what was appended before it.
	tx, err := w.db.BeginTx(context.WithoutCancel(ctx), nil)
	if err != nil {
		return err
	}
	w.tx, w.prepared = tx, map[string]*sql.Stmt{}
	if w.dialect.lock == "" {
		return nil
	}
	_, err = tx.ExecContext(ctx, w.dialect.lock)
	return err
}

// exec runs a statement within the batch, prepared once for the batch.
func (w *Writer) exec(ctx context.Context, query string, args ...any) error {
	if err := w.open(ctx); err != nil {
		return err
	}
	statement := w.prepared[query]
	if statement == nil {
		var err error
		if statement, err = w.tx.PrepareContext(ctx, w.dialect.query(query)); err != nil {
			return err
		}
		w.prepared[query] = statement
	}
	for i, arg := range args {
		if text, ok := arg.(string); ok {
			args[i] = w.dialect.text(text)
		}
	}
	_, err := statement.ExecContext(ctx, args...)
	return err
}
