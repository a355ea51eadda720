package audit

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/slicewright/slicewright/app/internal/find/evidence"
)

// Decoder turns the text of a log into events, for programs that keep a ledger of
// their own. It is for one goroutine.
type Decoder struct{ d decoder }

// Line decodes one line of a log and appends its events to dst. ok is false for
// a line that is cut or is no JSON.
func (d *Decoder) Line(dst []Event, line []byte) (events []Event, ok bool) {
	d.d.events = dst
	v := d.d.line(line)
	events, d.d.events = d.d.events, nil
	return events, v != broken
}

// Relevant says in the time of a memory scan whether a line can be about
// Endpoints or EndpointSlices at all.
func Relevant(line []byte) bool { return hasNeedle(line) }

// errNoEventList is returned for a body that holds no list of audit events.
var errNoEventList = errors.New("it is no EventList of audit.k8s.io")

// Batch reads what the API server's webhook backend sends: one EventList. It
// returns the events about Endpoints and EndpointSlices and the number of all.
// A body that is cut or broken is an error, and then nothing of it counts.
func (d *Decoder) Batch(r io.Reader) (events []Event, total int, err error) {
	d.d.events = nil
	wrong, whole := 0, true
	first := make([]byte, 0, 1)
	split := splitter{
		max: Options{}.withDefaults().MaxLine,
		record: func(b []byte, isWhole bool) {
			total++
			switch {
			case !isWhole:
				// Only the times and the reason are behind what is held of it.
				d.d.head(b)
			case !bytes.Contains(b, []byte(`"auditID"`)) && bytes.Contains(b, []byte(`"EventList"`)):
				total-- // the list itself, which is empty
			case !bytes.Contains(b, []byte(`"auditID"`)):
				wrong++
			case hasNeedle(b):
				if v, _ := d.d.record(b, 0); v == broken {
					wrong++
				}
			}
		},
		cut: func() { whole = false },
	}
	if err := split.split(io.TeeReader(r, firstByte{&first})); err != nil {
		return nil, 0, fmt.Errorf("reading a batch of audit events: %w", err)
	}
	events, d.d.events = d.d.events, nil
	switch {
	case !whole:
		return nil, 0, fmt.Errorf("reading a batch of audit events: %w", io.ErrUnexpectedEOF)
	case len(first) == 0 || first[0] != '{' || wrong > 0:
		return nil, 0, errNoEventList
	}
	return events, total, nil
}

// firstByte keeps the first byte that is no space.
type firstByte struct{ to *[]byte }

func (f firstByte) Write(p []byte) (int, error) {
	if len(*f.to) == 0 {
		if rest := bytes.TrimLeft(p, " \t\r\n"); len(rest) > 0 {
			*f.to = append(*f.to, rest[0])
		}
	}
	return len(p), nil
}

// Coverage returns what the ledger knows about its own blind spots. A log that
// is still read is not called silent: only a finished one can be.
func (l *Ledger) Coverage() evidence.Coverage {
	c := evidence.Coverage{Source: evidence.SourceAudit}
	l.cover(&c)
	return c
}
