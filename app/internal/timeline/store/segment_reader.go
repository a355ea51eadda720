package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/slicewright/slicewright/app/internal/timeline"
	"github.com/slicewright/slicewright/endpointset"
)

// chunk is how many events are read at a time: it bounds the memory, and a
// statement per table and chunk is cheap.
const chunk = 4096

// segmentReader reads one segment.
type segmentReader struct {
	tx      *sql.Tx
	dialect dialect
	id      int64
	headers map[int64]timeline.SliceHeader
	records map[int64]timeline.EndpointRecord
	pods    map[int64]podIdentity
}

func (s *segmentReader) events(ctx context.Context, first int64) iter.Seq2[timeline.Event, error] {
	return func(yield func(timeline.Event, error) bool) {
		if err := s.dictionaries(ctx); err != nil {
			yield(timeline.Event{}, err)
			return
		}
		last, err := s.lastSeq(ctx)
		if err != nil {
			yield(timeline.Event{}, err)
			return
		}
		for from := first; from <= last; from += chunk {
			events, err := s.chunk(ctx, from, from+chunk)
			if err != nil {
				yield(timeline.Event{}, err)
				return
			}
			for _, ev := range events {
				if !yield(ev, nil) {
					return
				}
			}
		}
	}
}

// lastSeq is the last event of the segment, whatever its kind.
func (s *segmentReader) lastSeq(ctx context.Context) (int64, error) {
	var last int64
	for _, table := range []string{"slice_event", "pod_event", "service_event", "gap", "consumer_observation"} {
		var n int64
		if err := s.tx.QueryRowContext(ctx, s.dialect.query(`SELECT COALESCE(MAX(seq), 0) FROM `+table+` WHERE segment = ?`), s.id).Scan(&n); err != nil {
			return 0, err
		}
		last = max(last, n)
	}
	return last, nil
}

// query runs one statement over the segment and calls scan for every row.
func (s *segmentReader) query(ctx context.Context, query string, args []any, scan func(*sql.Rows) error) error {
	rows, err := s.tx.QueryContext(ctx, s.dialect.query(query), append([]any{s.id}, args...)...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := scan(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

func (s *segmentReader) dictionaries(ctx context.Context) error {
	s.headers = map[int64]timeline.SliceHeader{}
	s.records = map[int64]timeline.EndpointRecord{}
	s.pods = map[int64]podIdentity{}
	return errors.Join(
		s.query(ctx, `SELECT id, namespace, name, uid, service, managed_by, address_type, ports FROM slice_header WHERE segment = ?`, nil,
			func(rows *sql.Rows) error {
				var id int64
				var h timeline.SliceHeader
				err := rows.Scan(&id, &h.Key.Namespace, &h.Key.Name, &h.UID, &h.Service, &h.ManagedBy, &h.AddressType, &h.Ports)
				s.headers[id] = h
				return err
			}),
		s.query(ctx, `SELECT id, addresses, hostname, node, zone, for_zones, for_nodes, target_kind, target_namespace, target_name, target_uid
			FROM endpoint_record WHERE segment = ?`, nil,
			func(rows *sql.Rows) error {
				var id int64
				var r timeline.EndpointRecord
				err := rows.Scan(&id, &r.Addresses, &r.Hostname, &r.Node, &r.Zone, &r.ForZones, &r.ForNodes,
					&r.Target.Kind, &r.Target.Namespace, &r.Target.Name, &r.Target.UID)
				s.records[id] = r
				return err
			}),
		s.query(ctx, `SELECT id, namespace, name, uid, node, ips, host_network FROM pod_identity WHERE segment = ?`, nil,
			func(rows *sql.Rows) error {
				var id int64
				var p podIdentity
				err := rows.Scan(&id, &p.namespace, &p.name, &p.uid, &p.node, &p.ips, &p.hostNetwork)
				s.pods[id] = p
				return err
			}),
	)
}

// chunk reads the events with from <= seq < to.
func (s *segmentReader) chunk(ctx context.Context, from, to int64) ([]timeline.Event, error) {
	var events []timeline.Event
	slicesBySeq := map[int64]*timeline.SliceChange{}
	args := []any{from, to}
	err := errors.Join(
		s.query(ctx, `SELECT seq, at, clock, op, header, resource_version, written, triggered
			FROM slice_event WHERE segment = ? AND seq >= ? AND seq < ?`, args,
			func(rows *sql.Rows) error {
				ev, err := s.scanSlice(rows)
				events = append(events, ev)
				slicesBySeq[ev.Seq] = ev.Slice
				return err
			}),
		s.query(ctx, `SELECT seq, record, occurrence, conditions, removed
			FROM endpoint_change WHERE segment = ? AND seq >= ? AND seq < ? ORDER BY seq, n`, args,
			func(rows *sql.Rows) error { return s.scanEndpoint(rows, slicesBySeq) }),
		s.query(ctx, `SELECT seq, at, clock, op, pod, resource_version, phase, ready, ready_since, grace_ends, grace, stopped, written
			FROM pod_event WHERE segment = ? AND seq >= ? AND seq < ?`, args,
			func(rows *sql.Rows) error {
				ev, err := s.scanPod(rows)
				events = append(events, ev)
				return err
			}),
		s.query(ctx, `SELECT seq, at, clock, op, namespace, name, resource_version, publish_not_ready, has_selector, headless, written
			FROM service_event WHERE segment = ? AND seq >= ? AND seq < ?`, args,
			func(rows *sql.Rows) error {
				ev, err := scanService(rows)
				events = append(events, ev)
				return err
			}),
		s.query(ctx, `SELECT seq, at, clock, from_at, to_at, resource, namespace, lost, reason
			FROM gap WHERE segment = ? AND seq >= ? AND seq < ?`, args,
			func(rows *sql.Rows) error {
				ev, err := scanGap(rows)
				events = append(events, ev)
				return err
			}),
		s.query(ctx, `SELECT seq, at, clock, consumer, namespace, service, address, port, kind, first_at, last_at, count, detail
			FROM consumer_observation WHERE segment = ? AND seq >= ? AND seq < ?`, args,
			func(rows *sql.Rows) error {
				ev, err := scanObservation(rows)
				events = append(events, ev)
				return err
			}),
	)
	slices.SortFunc(events, func(a, b timeline.Event) int { return int(a.Seq - b.Seq) })
	return events, err
}

func (s *segmentReader) scanSlice(rows *sql.Rows) (timeline.Event, error) {
	var m moment
	var header, written, triggered int64
	change := &timeline.SliceChange{}
	if err := rows.Scan(&m.seq, &m.at, &m.clock, &m.op, &header, &change.ResourceVersion, &written, &triggered); err != nil {
		return timeline.Event{}, err
	}
	h, ok := s.headers[header]
	if !ok {
		return timeline.Event{}, fmt.Errorf("event %d refers to slice header %d, which is not there", m.seq, header)
	}
	change.SliceHeader = h
	change.Written, change.Triggered = fromMicros(written), fromMicros(triggered)
	ev := m.event()
	ev.Slice = change
	return ev, nil
}

func (s *segmentReader) scanEndpoint(rows *sql.Rows, bySeq map[int64]*timeline.SliceChange) error {
	var seq, record, occurrence, conditions, removed int64
	if err := rows.Scan(&seq, &record, &occurrence, &conditions, &removed); err != nil {
		return err
	}
	change := bySeq[seq]
	r, ok := s.records[record]
	if !ok || change == nil {
		return fmt.Errorf("event %d refers to endpoint record %d or a slice that is not there", seq, record)
	}
	c, err := timeline.UnpackConditions(conditions)
	if err != nil {
		return fmt.Errorf("event %d: %w", seq, err)
	}
	change.Endpoints = append(change.Endpoints, timeline.EndpointChange{
		EntryKey: timeline.EntryKey{Address: r.Address(), N: int(occurrence)},
		Removed:  removed != 0,
		Endpoint: timeline.Endpoint{EndpointRecord: r, Conditions: c},
	})
	return nil
}

func (s *segmentReader) scanPod(rows *sql.Rows) (timeline.Event, error) {
	var m moment
	var id, ready, readySince, graceEnds, grace, stopped, written int64
	pod := &timeline.Pod{}
	if err := rows.Scan(&m.seq, &m.at, &m.clock, &m.op, &id, &pod.ResourceVersion, &pod.Phase,
		&ready, &readySince, &graceEnds, &grace, &stopped, &written); err != nil {
		return timeline.Event{}, err
	}
	who, ok := s.pods[id]
	if !ok {
		return timeline.Event{}, fmt.Errorf("event %d refers to Pod %d, which is not there", m.seq, id)
	}
	pod.Namespace, pod.Name, pod.UID, pod.Node, pod.IPs, pod.HostNetwork = who.namespace, who.name, who.uid, who.node, who.ips, who.hostNetwork
	pod.Ready, pod.ReadySince = timeline.Condition(ready), fromMicros(readySince)
	pod.GraceEnds, pod.Grace = fromMicros(graceEnds), time.Duration(grace)*time.Second
	pod.Stopped, pod.Written = fromMicros(stopped), fromMicros(written)
	ev := m.event()
	ev.Pod = pod
	return ev, nil
}

func scanService(rows *sql.Rows) (timeline.Event, error) {
	var m moment
	var key endpointset.ServiceKey
	var written int64
	svc := &timeline.Service{}
	err := rows.Scan(&m.seq, &m.at, &m.clock, &m.op, &key.Namespace, &key.Name, &svc.ResourceVersion,
		&svc.PublishNotReady, &svc.HasSelector, &svc.Headless, &written)
	svc.Key, svc.Written = key, fromMicros(written)
	ev := m.event()
	ev.Service = svc
	return ev, err
}

func scanGap(rows *sql.Rows) (timeline.Event, error) {
	var m moment
	var from, to int64
	g := &timeline.Gap{}
	err := rows.Scan(&m.seq, &m.at, &m.clock, &from, &to, &g.Resource, &g.Namespace, &g.Lost, &g.Reason)
	g.From, g.To = fromMicros(from), fromMicros(to)
	ev := m.event()
	ev.Gap = g
	return ev, err
}

func scanObservation(rows *sql.Rows) (timeline.Event, error) {
	var m moment
	var kind, first, last int64
	o := &timeline.Observation{}
	err := rows.Scan(&m.seq, &m.at, &m.clock, &o.Consumer, &o.Namespace, &o.Service, &o.Address, &o.Port,
		&kind, &first, &last, &o.Count, &o.Detail)
	o.Kind, o.First, o.Last = timeline.ObservationKind(kind), fromMicros(first), fromMicros(last)
	ev := m.event()
	ev.Observation = o
	return ev, err
}

// moment is what every event's row begins with.
type moment struct{ seq, at, clock, op int64 }

func (m moment) event() timeline.Event {
	return timeline.Event{Seq: m.seq, At: time.UnixMicro(m.at).UTC(), Clock: timeline.Clock(m.clock), Op: timeline.Op(m.op)}
}
