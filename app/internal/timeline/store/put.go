package store

import (
	"context"
	"time"

	"github.com/slicewright/slicewright/app/internal/timeline"
	"github.com/slicewright/slicewright/internal/text"
)

// put writes one event's rows.
func (w *Writer) put(ctx context.Context, ev *timeline.Event) error {
	w.seq++
	ev.Seq = w.seq
	w.until = ev.At
	switch {
	case ev.Slice != nil:
		return w.putSlice(ctx, ev)
	case ev.Pod != nil:
		return w.putPod(ctx, ev)
	case ev.Service != nil:
		return w.putService(ctx, ev)
	case ev.Gap != nil:
		return w.putGap(ctx, ev)
	case ev.Observation != nil:
		return w.putObservation(ctx, ev)
	}
	return nil
}

func (w *Writer) putSlice(ctx context.Context, ev *timeline.Event) error {
	s := ev.Slice
	header, err := w.header(ctx, s.SliceHeader)
	if err != nil {
		return err
	}
	w.segment.written += 32 + int64(len(s.ResourceVersion))
	if err := w.exec(ctx, insertSliceEvent, w.segment.id, ev.Seq, ev.At.UnixMicro(), int64(ev.Clock), int64(ev.Op),
		header, s.ResourceVersion, toMicros(s.Written), toMicros(s.Triggered)); err != nil {
		return err
	}
	// What a deleted slice held is known from what came before.
	if ev.Op.Gone() {
		return nil
	}
	for n := range s.Endpoints {
		e := &s.Endpoints[n]
		record, err := w.record(ctx, e.Endpoint.EndpointRecord)
		if err != nil {
			return err
		}
		w.segment.written += 20
		if err := w.exec(ctx, insertEndpoint, w.segment.id, ev.Seq, int64(n), record, int64(e.N), e.Endpoint.Pack(), toInt(e.Removed)); err != nil {
			return err
		}
	}
	return nil
}

func (w *Writer) putPod(ctx context.Context, ev *timeline.Event) error {
	p := ev.Pod
	id, err := w.pod(ctx, podIdentity{p.Namespace, p.Name, p.UID, p.Node, p.IPs, p.HostNetwork})
	if err != nil {
		return err
	}
	w.segment.written += 60 + int64(len(p.Phase)+len(p.ResourceVersion))
	return w.exec(ctx, insertPodEvent, w.segment.id, ev.Seq, ev.At.UnixMicro(), int64(ev.Clock), int64(ev.Op), id,
		p.ResourceVersion, p.Phase, int64(p.Ready), toMicros(p.ReadySince), toMicros(p.GraceEnds), int64(p.Grace/time.Second),
		toMicros(p.Stopped), toMicros(p.Written))
}

func (w *Writer) putService(ctx context.Context, ev *timeline.Event) error {
	s := ev.Service
	w.segment.written += 40 + int64(len(s.Key.Namespace)+len(s.Key.Name))
	return w.exec(ctx, insertServiceEvent, w.segment.id, ev.Seq, ev.At.UnixMicro(), int64(ev.Clock), int64(ev.Op),
		s.Key.Namespace, s.Key.Name, s.ResourceVersion, toInt(s.PublishNotReady), toInt(s.HasSelector), toInt(s.Headless), toMicros(s.Written))
}

func (w *Writer) putGap(ctx context.Context, ev *timeline.Event) error {
	g := ev.Gap
	w.segment.written += 60 + int64(len(g.Reason))
	return w.exec(ctx, insertGap, w.segment.id, ev.Seq, ev.At.UnixMicro(), int64(ev.Clock),
		toMicros(g.From), toMicros(g.To), g.Resource, g.Namespace, toInt(g.Lost), shorten(g.Reason))
}

func (w *Writer) putObservation(ctx context.Context, ev *timeline.Event) error {
	o := ev.Observation
	w.segment.written += 60 + int64(len(o.Consumer)+len(o.Namespace)+len(o.Service)+len(o.Address)+len(o.Detail))
	return w.exec(ctx, insertObservation, w.segment.id, ev.Seq, ev.At.UnixMicro(), int64(ev.Clock),
		o.Consumer, o.Namespace, o.Service, o.Address, int64(o.Port), int64(o.Kind), toMicros(o.First), toMicros(o.Last), o.Count, shorten(o.Detail))
}

// shorten bounds a free text. In a table without row ids a row of more than a
// quarter of a page takes a page of its own.
func shorten(detail string) string {
	return text.Clip(detail, 500)
}

func (w *Writer) header(ctx context.Context, h timeline.SliceHeader) (int64, error) {
	id, ok := w.segment.headers[h]
	if ok {
		return id, nil
	}
	id = int64(len(w.segment.headers) + 1)
	w.segment.headers[h] = id
	w.segment.written += 40 + int64(len(h.Key.Namespace)+len(h.Key.Name)+len(h.Ports)+len(h.Service)+len(h.ManagedBy))
	return id, w.exec(ctx, insertHeader, w.segment.id, id, h.Key.Namespace, h.Key.Name, h.UID, h.Service, h.ManagedBy, h.AddressType, h.Ports)
}

func (w *Writer) record(ctx context.Context, r timeline.EndpointRecord) (int64, error) {
	id, ok := w.segment.records[r]
	if ok {
		return id, nil
	}
	id = int64(len(w.segment.records) + 1)
	w.segment.records[r] = id
	w.segment.written += 30 + int64(len(r.Addresses)+len(r.Hostname)+len(r.Node)+len(r.Zone)+len(r.ForZones)+len(r.ForNodes)+
		len(r.Target.Kind)+len(r.Target.Namespace)+len(r.Target.Name)+len(r.Target.UID))
	return id, w.exec(ctx, insertRecord, w.segment.id, id, r.Addresses, r.Hostname, r.Node, r.Zone, r.ForZones, r.ForNodes,
		r.Target.Kind, r.Target.Namespace, r.Target.Name, r.Target.UID)
}

func (w *Writer) pod(ctx context.Context, p podIdentity) (int64, error) {
	id, ok := w.segment.pods[p]
	if ok {
		return id, nil
	}
	id = int64(len(w.segment.pods) + 1)
	w.segment.pods[p] = id
	w.segment.written += 40 + int64(len(p.namespace)+len(p.name)+len(p.uid)+len(p.node)+len(p.ips))
	return id, w.exec(ctx, insertPod, w.segment.id, id, p.namespace, p.name, p.uid, p.node, p.ips, toInt(p.hostNetwork))
}
