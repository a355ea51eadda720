package record

import (
	"context"
	"io"
	"time"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"

	"github.com/slicewright/slicewright/app/internal/timeline"
	"github.com/slicewright/slicewright/endpointset"
)

// Source is something to import from.
type Source struct {
	Name string
	io.Reader
}

// Import records what `kubectl get endpointslices -w --output-watch-events -o
// json` wrote, and the same for Pods and Services, from one or more sources. It
// returns the number of documents.
//
// Such a stream does not say when an event arrived. Its moment is then the API's
// own (the newest managed field, or the trigger annotation), or, where there is
// none or an earlier one, that of the event before it. A line can say it: a key
// "receivedAt" beside "type" and "object", in RFC 3339. Several sources are
// merged by these moments; of equal ones Pods and Services go first, since
// slices follow them.
func Import(ctx context.Context, sink Sink, sources ...Source) (int, error) {
	im := importer{applier: newApplier(sink, Scope{}), last: sink.Until()}
	for _, source := range sources {
		s := newStream(source.Name, source.Reader)
		if err := s.advance(); err != nil {
			return 0, err
		}
		im.streams = append(im.streams, s)
	}
	for n := 0; ; n++ {
		if err := ctx.Err(); err != nil {
			return n, err
		}
		s := im.earliest()
		if s == nil {
			return n, nil
		}
		if err := im.document(ctx, s); err != nil {
			return n, err
		}
		if err := s.advance(); err != nil {
			return n, err
		}
	}
}

type importer struct {
	*applier
	streams []*stream
	last    time.Time
}

// earliest returns the stream whose next document comes first, nil at the end.
func (im *importer) earliest() *stream {
	var first *stream
	for _, s := range im.streams {
		switch {
		case s.next == nil:
		case first == nil, s.nextAt.Before(first.nextAt),
			s.nextAt.Equal(first.nextAt) && len(first.next.slices) > 0 && len(s.next.slices) == 0:
			first = s
		}
	}
	return first
}

func (im *importer) document(ctx context.Context, s *stream) error {
	d := s.next
	m := im.moment(d)
	if d.lost != "" {
		return im.gap(ctx, m, s, d.lost)
	}
	if d.list {
		if s.n > 1 {
			if err := im.gap(ctx, m, s, "the stream goes on with a list"); err != nil {
				return err
			}
		}
		return im.list(ctx, m, s, d)
	}
	for i := range d.services {
		if err := im.importService(ctx, m, d.op, &d.services[i]); err != nil {
			return err
		}
	}
	for i := range d.pods {
		if err := im.importPod(ctx, m, d.op, &d.pods[i]); err != nil {
			return err
		}
	}
	for i := range d.slices {
		if err := im.importSlice(ctx, m, d.op, &d.slices[i]); err != nil {
			return err
		}
	}
	return nil
}

func (im *importer) importService(ctx context.Context, m moment, op timeline.Op, obj *corev1.Service) error {
	if op == timeline.Deleted {
		return im.serviceGone(ctx, m, op, endpointset.ServiceKey{Namespace: obj.Namespace, Name: obj.Name})
	}
	return im.service(ctx, m, op, obj)
}

func (im *importer) importPod(ctx context.Context, m moment, op timeline.Op, obj *corev1.Pod) error {
	if op == timeline.Deleted {
		last := timeline.PodOf(obj)
		return im.podGone(ctx, m, op, string(obj.UID), &last)
	}
	// Everything in the file belongs to the recording: its author chose it.
	im.targets[string(obj.UID)] = true
	return im.pod(ctx, m, op, obj)
}

func (im *importer) importSlice(ctx context.Context, m moment, op timeline.Op, obj *discoveryv1.EndpointSlice) error {
	if op == timeline.Deleted {
		return im.sliceGone(ctx, m, op, endpointset.SliceKey{Namespace: obj.Namespace, Name: obj.Name}, obj.ResourceVersion)
	}
	return im.slice(ctx, m, op, obj)
}

// list replaces what the stream carries. A file may be of one namespace or of
// all; what it lists is all that it knows.
func (im *importer) list(ctx context.Context, m moment, s *stream, d *document) error {
	if s.kinds.services {
		if err := im.serviceList(ctx, m, "", d.services); err != nil {
			return err
		}
	}
	if s.kinds.slices || s.kinds == (kinds{}) {
		if err := im.sliceList(ctx, m, "", d.slices); err != nil {
			return err
		}
	}
	if s.kinds.pods {
		for i := range d.pods {
			im.targets[string(d.pods[i].UID)] = true
		}
		return im.podList(ctx, m, "", d.pods)
	}
	return nil
}

func (im *importer) gap(ctx context.Context, m moment, s *stream, reason string) error {
	resource := "endpointslices"
	switch {
	case s.kinds.slices:
	case s.kinds.pods:
		resource = "pods"
	case s.kinds.services:
		resource = "services"
	}
	from := im.sink.Until()
	if from.IsZero() {
		from = m.at
	}
	return im.append(ctx, m, timeline.Event{Gap: &timeline.Gap{
		From: from, To: m.at, Resource: resource, Lost: true, Reason: reason,
	}})
}

// moment is when a document happened, never before the last one.
func (im *importer) moment(d *document) moment {
	m := moment{d.received, timeline.Received}
	if d.received.IsZero() {
		m = moment{d.told, timeline.Told}
	}
	if m.at.Before(im.last) || m.at.IsZero() || d.op == timeline.Deleted && d.received.IsZero() {
		m = moment{im.last, timeline.Carried}
	}
	if m.at.IsZero() { // the first document tells nothing
		m.at = time.Unix(0, 0).UTC()
	}
	im.last = m.at
	return m
}
