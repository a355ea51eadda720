package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/slicewright/slicewright/app/internal/timeline"
)

const (
	// segmentBytes is a segment's size where the recording is not bounded: to
	// read from the middle, at most this much is read too.
	segmentBytes = 64 << 20
	// segmentsPerSize is how many segments a bounded recording has: trimming
	// takes one of them at a time.
	segmentsPerSize = 8
	// dictionaryLimit bounds the memory that a segment's dictionaries take.
	dictionaryLimit = 200_000
	// logBytes is what the log beside the file may take of MaxSize.
	logBytes = 8 << 20
	// trimInterval is after how many batches the size is looked at.
	trimInterval = 16
)

// segment is the one that is written.
type segment struct {
	id      int64
	headers map[timeline.SliceHeader]int64
	records map[timeline.EndpointRecord]int64
	pods    map[podIdentity]int64
	// written counts bytes of rows, roughly; restated those of its beginning.
	written, restated, limit int64
}

// podIdentity is what seldom changes of a Pod.
type podIdentity struct {
	namespace, name, uid, node, ips string
	hostNetwork                     bool
}

// full reports whether a new segment should begin. A state that is large in
// itself must be followed by a few times as much, or segments would hold nothing
// else.
func (s *segment) full() bool {
	return s.written > max(s.limit, 4*s.restated) ||
		len(s.headers)+len(s.records)+len(s.pods) > dictionaryLimit+int(s.restated/64)
}

// newSegment begins a segment with the state as it is.
func (w *Writer) newSegment(ctx context.Context, at time.Time) error {
	id := int64(1)
	if w.segment != nil {
		id = w.segment.id + 1
	} else if last, err := w.lastSegment(ctx); err != nil {
		return err
	} else if last != 0 {
		id = last + 1
	}
	w.segment = &segment{
		id:      id,
		headers: map[timeline.SliceHeader]int64{},
		records: map[timeline.EndpointRecord]int64{},
		pods:    map[podIdentity]int64{},
		limit:   segmentBytes,
	}
	if w.run.MaxSize > 0 {
		w.segment.limit = min(segmentBytes, (w.run.MaxSize-logBytes)/segmentsPerSize)
	}
	if err := w.exec(ctx, insertSegment, id, w.runID, w.seq+1, toMicros(at)); err != nil {
		return err
	}
	for _, ev := range w.state.Restate() {
		ev.At = at
		if err := w.put(ctx, &ev); err != nil {
			return err
		}
	}
	w.segment.restated = w.segment.written
	return nil
}

func (w *Writer) lastSegment(ctx context.Context) (int64, error) {
	if err := w.open(ctx); err != nil {
		return 0, err
	}
	var id int64
	err := w.tx.QueryRowContext(ctx, `SELECT COALESCE(MAX(id), 0) FROM segment`).Scan(&id)
	return id, err
}

// trim drops the oldest segments until the database fits. Freed pages are used
// again, so the file stops growing; it does not shrink.
func (w *Writer) trim(ctx context.Context) error {
	if w.run.MaxSize == 0 || w.segment == nil {
		return nil
	}
	if w.batches++; w.batches%trimInterval != 0 {
		return nil
	}
	limit := w.run.MaxSize - logBytes
	for {
		used, err := w.dialect.usedBytes(ctx, w.tx)
		if err != nil {
			return err
		}
		// One more segment must fit before the next look.
		if used+w.segment.limit <= limit {
			return nil
		}
		var oldest int64
		if err := w.tx.QueryRowContext(ctx, `SELECT MIN(id) FROM segment`).Scan(&oldest); err != nil {
			return err
		}
		if oldest == w.segment.id {
			if used <= limit {
				return nil
			}
			return fmt.Errorf("--max-size of %d MiB is too small for what exists at one moment: %w", w.run.MaxSize>>20, errTooSmall)
		}
		if err := w.drop(ctx, oldest); err != nil {
			return err
		}
	}
}

var errTooSmall = errors.New("the newest part alone is larger")

func (w *Writer) drop(ctx context.Context, id int64) error {
	for _, table := range segmentTables {
		if err := w.exec(ctx, `DELETE FROM `+table+` WHERE segment = ?`, id); err != nil {
			return err
		}
	}
	if err := w.exec(ctx, `DELETE FROM segment WHERE id = ?`, id); err != nil {
		return err
	}
	return w.exec(ctx, `INSERT INTO meta VALUES ('trimmed', '1') ON CONFLICT (name) DO NOTHING`)
}

// sqlitePages is the size of a SQLite file's pages in use.
func sqlitePages(ctx context.Context, tx *sql.Tx) (int64, error) {
	var pages, free, size int64
	err := errors.Join(
		tx.QueryRowContext(ctx, `PRAGMA page_count`).Scan(&pages),
		tx.QueryRowContext(ctx, `PRAGMA freelist_count`).Scan(&free),
		tx.QueryRowContext(ctx, `PRAGMA page_size`).Scan(&size),
	)
	return (pages - free) * size, err
}
