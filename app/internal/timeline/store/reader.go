package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/slicewright/slicewright/app/internal/timeline"
)

// Reader reads a recording. It may be used while a Writer writes to it.
type Reader struct {
	db      *sql.DB
	dialect dialect
}

// Open opens a recording, a file or a postgres:// URL, for reading. The error says whether it is
// not a recording (ErrNotARecording) or has another version (ErrVersion).
func Open(ctx context.Context, path string) (*Reader, error) {
	if IsServer(path) {
		db, err := openPostgres(ctx, path, false)
		if err != nil {
			return nil, err
		}
		return &Reader{db, postgres}, nil
	}
	db, err := openForReading(ctx, path)
	if err != nil {
		return nil, err
	}
	return &Reader{db, sqlite}, nil
}

// Close closes the recording.
func (r *Reader) Close() error { return r.db.Close() }

// Info is what a recording says of itself.
type Info struct {
	Runs []RunInfo
	// From and Until bound what is in it.
	From, Until time.Time
	// Trimmed is true where the oldest part was dropped for --max-size.
	Trimmed bool
}

// RunInfo is one run of a recorder.
type RunInfo struct {
	ID             int64
	Source, Scope  string
	Started, Until time.Time
	// Ended is zero for a run that goes on or was killed.
	Ended time.Time
}

// Info reads what the recording says of itself.
func (r *Reader) Info(ctx context.Context) (Info, error) {
	var info Info
	rows, err := r.db.QueryContext(ctx, `SELECT id, source, scope, started, until, ended FROM run ORDER BY id`)
	if err != nil {
		return info, fmt.Errorf("read the runs: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		run, err := scanRun(rows)
		if err != nil {
			return info, fmt.Errorf("read the runs: %w", err)
		}
		info.Runs = append(info.Runs, run)
		info.Until = run.Until
	}
	if err := rows.Err(); err != nil {
		return info, fmt.Errorf("read the runs: %w", err)
	}
	segments, err := r.segments(ctx)
	if err != nil {
		return info, err
	}
	if len(segments) > 0 {
		info.From = segments[0].started
	}
	var trimmed string
	switch err := r.db.QueryRowContext(ctx, `SELECT value FROM meta WHERE name = 'trimmed'`).Scan(&trimmed); {
	case err == nil:
		info.Trimmed = true
	case !errors.Is(err, sql.ErrNoRows):
		return info, err
	}
	return info, nil
}

func lastRun(ctx context.Context, db *sql.DB) (RunInfo, error) {
	run, err := scanRun(db.QueryRowContext(ctx, `SELECT id, source, scope, started, until, ended FROM run ORDER BY id DESC LIMIT 1`))
	if errors.Is(err, sql.ErrNoRows) {
		return RunInfo{}, nil
	}
	return run, err
}

func scanRun(row interface{ Scan(...any) error }) (RunInfo, error) {
	var run RunInfo
	var started, until, ended int64
	err := row.Scan(&run.ID, &run.Source, &run.Scope, &started, &until, &ended)
	run.Started, run.Until, run.Ended = fromMicros(started), fromMicros(until), fromMicros(ended)
	return run, err
}

// Events yields the recording's events in order, from the beginning of the
// segment that holds since until the last one that is not after until. Those
// before since are what is needed to know the state at since. A zero since or
// until is no bound. After an error nothing more is yielded.
func (r *Reader) Events(ctx context.Context, since, until time.Time) iter.Seq2[timeline.Event, error] {
	return func(yield func(timeline.Event, error) bool) {
		segments, err := r.segments(ctx)
		if err != nil {
			yield(timeline.Event{}, err)
			return
		}
		first := 0
		for i, s := range segments {
			if !s.started.After(since) {
				first = i
			}
		}
		for ev, err := range r.from(ctx, segments[first:], until) {
			if !yield(ev, err) || err != nil {
				return
			}
		}
	}
}

// segmentInfo is a segment's place in the recording.
type segmentInfo struct {
	id, firstSeq int64
	started      time.Time
}

func (r *Reader) segments(ctx context.Context) ([]segmentInfo, error) {
	rows, err := r.db.QueryContext(ctx, `SELECT id, first_seq, started FROM segment ORDER BY id`)
	if err != nil {
		return nil, fmt.Errorf("read the segments: %w", err)
	}
	defer rows.Close()
	var list []segmentInfo
	for rows.Next() {
		var s segmentInfo
		var started int64
		if err := rows.Scan(&s.id, &s.firstSeq, &started); err != nil {
			return nil, fmt.Errorf("read the segments: %w", err)
		}
		s.started = fromMicros(started)
		list = append(list, s)
	}
	return list, rows.Err()
}

// from reads whole segments, chunk by chunk, in one transaction: a writer that
// trims or appends meanwhile does not change what is read.
func (r *Reader) from(ctx context.Context, segments []segmentInfo, until time.Time) iter.Seq2[timeline.Event, error] {
	return func(yield func(timeline.Event, error) bool) {
		tx, err := r.db.BeginTx(ctx, &r.dialect.reading)
		if err != nil {
			yield(timeline.Event{}, fmt.Errorf("read the recording: %w", err))
			return
		}
		defer tx.Rollback()
		for _, info := range segments {
			s := segmentReader{tx: tx, dialect: r.dialect, id: info.id}
			for ev, err := range s.events(ctx, info.firstSeq) {
				if err != nil {
					yield(timeline.Event{}, fmt.Errorf("read segment %d of the recording: %w", info.id, err))
					return
				}
				if !until.IsZero() && ev.At.After(until) || !yield(ev, nil) {
					return
				}
			}
		}
	}
}
