package record

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/slicewright/slicewright/app/internal/timeline"
)

// maxDocument bounds one JSON document: a list of some 15,000 full slices.
const maxDocument = 256 << 20

// document is one JSON value of what `kubectl get … -w -o json` writes: with
// --output-watch-events an event, without it an object, or a list of objects.
type document struct {
	op timeline.Op
	// received is when it arrived, where the line says so.
	received time.Time
	// told is the newest moment that the API tells in it.
	told     time.Time
	slices   []discoveryv1.EndpointSlice
	pods     []corev1.Pod
	services []corev1.Service
	// list is true for a list, which replaces everything of the kinds that the
	// stream carries.
	list bool
	// lost is the message of an ERROR event.
	lost string
	skip bool
}

// tell notes the newest moment that the API tells in it, zero for none.
func (d *document) tell() {
	for i := range d.slices {
		d.note(timeline.ToldBySlice(&d.slices[i]))
	}
	for i := range d.pods {
		d.note(timeline.PodOf(&d.pods[i]).Written)
	}
	for i := range d.services {
		d.note(timeline.ServiceOf(&d.services[i]).Written)
	}
}

func (d *document) note(t time.Time) {
	if t.After(d.told) {
		d.told = t
	}
}

// stream reads documents one by one.
type stream struct {
	name   string
	limit  *limitReader
	dec    *json.Decoder
	n      int
	kinds  kinds
	next   *document
	nextAt time.Time // a guess of when next happened, to merge streams
}

// kinds says which kinds a stream has shown, so that an empty List is known to
// empty them.
type kinds struct{ slices, pods, services bool }

func newStream(name string, r io.Reader) *stream {
	limit := &limitReader{r: r}
	return &stream{name: name, limit: limit, dec: json.NewDecoder(limit)}
}

// advance reads the next document into s.next, nil at the end.
func (s *stream) advance() error {
	for {
		s.n++
		s.limit.left = maxDocument
		var raw rawDocument
		err := s.dec.Decode(&raw)
		if errors.Is(err, io.EOF) {
			s.next = nil
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: document %d: %w", s.name, s.n, err)
		}
		d, err := raw.document(&s.kinds)
		if err != nil {
			return fmt.Errorf("%s: document %d: %w", s.name, s.n, err)
		}
		if d.skip {
			continue
		}
		d.tell()
		s.next = d
		if at := d.moment(); at.After(s.nextAt) {
			s.nextAt = at
		}
		return nil
	}
}

func (d *document) moment() time.Time {
	if !d.received.IsZero() {
		return d.received
	}
	return d.told
}

// rawDocument is all that any of the forms holds on its first level.
type rawDocument struct {
	Type       string          `json:"type"`
	Object     json.RawMessage `json:"object"`
	ReceivedAt *metav1.MicroTime
	Kind       string            `json:"kind"`
	Items      []json.RawMessage `json:"items"`
	whole      json.RawMessage
}

// UnmarshalJSON keeps the whole text beside the first level: a bare object is
// decoded from it.
func (r *rawDocument) UnmarshalJSON(text []byte) error {
	var first struct {
		Type       string            `json:"type"`
		Object     json.RawMessage   `json:"object"`
		ReceivedAt string            `json:"receivedAt"`
		Kind       string            `json:"kind"`
		Items      []json.RawMessage `json:"items"`
	}
	if err := json.Unmarshal(text, &first); err != nil {
		return err
	}
	r.Type, r.Object, r.Kind, r.Items = first.Type, first.Object, first.Kind, first.Items
	if first.ReceivedAt != "" {
		t, err := time.Parse(time.RFC3339Nano, first.ReceivedAt)
		if err != nil {
			return fmt.Errorf("receivedAt: %w", err)
		}
		r.ReceivedAt = &metav1.MicroTime{Time: t}
	}
	if first.Kind != "" {
		r.whole = append(r.whole[:0], text...)
	}
	return nil
}

func (r *rawDocument) document(seen *kinds) (*document, error) {
	d := &document{op: timeline.Modified}
	if r.ReceivedAt != nil {
		d.received = r.ReceivedAt.UTC()
	}
	switch {
	case r.Object != nil:
		return d, d.event(r, seen)
	case r.Kind == "List" || r.Kind == "EndpointSliceList" || r.Kind == "PodList" || r.Kind == "ServiceList":
		d.list, d.op = true, timeline.Listed
		seen.note(r.Kind)
		for i, item := range r.Items {
			if err := d.object(item, itemKind(r.Kind), seen); err != nil {
				return nil, fmt.Errorf("item %d: %w", i+1, err)
			}
		}
		return d, nil
	case r.Kind != "":
		return d, d.object(r.whole, "", seen)
	default:
		return nil, errors.New(`it is neither a watch event {"type","object"} nor an object with a kind`)
	}
}

func (d *document) event(r *rawDocument, seen *kinds) error {
	switch r.Type {
	case "ADDED":
		d.op = timeline.Added
	case "MODIFIED":
		d.op = timeline.Modified
	case "DELETED":
		d.op = timeline.Deleted
	case "BOOKMARK":
		d.skip = true
		return nil
	case "ERROR":
		var status metav1.Status
		if err := json.Unmarshal(r.Object, &status); err != nil {
			return fmt.Errorf("ERROR event: %w", err)
		}
		d.lost = status.Message
		if d.lost == "" {
			d.lost = "the watch ended with an error"
		}
		return nil
	default:
		return fmt.Errorf("event of type %q: known are ADDED, MODIFIED, DELETED, BOOKMARK and ERROR", r.Type)
	}
	return d.object(r.Object, "", seen)
}

// itemKind is the kind of a typed list's items, which need not say it.
func itemKind(list string) string {
	switch list {
	case "EndpointSliceList":
		return "EndpointSlice"
	case "PodList":
		return "Pod"
	case "ServiceList":
		return "Service"
	}
	return ""
}

func (k *kinds) note(kind string) {
	switch kind {
	case "EndpointSlice", "EndpointSliceList":
		k.slices = true
	case "Pod", "PodList":
		k.pods = true
	case "Service", "ServiceList":
		k.services = true
	}
}

func (d *document) object(text json.RawMessage, kind string, seen *kinds) error {
	var head struct {
		Kind     string `json:"kind"`
		Metadata struct {
			Name      string `json:"name"`
			Namespace string `json:"namespace"`
		} `json:"metadata"`
	}
	if err := json.Unmarshal(text, &head); err != nil {
		return err
	}
	if head.Kind != "" {
		kind = head.Kind
	}
	seen.note(kind)
	var err error
	switch kind {
	case "EndpointSlice":
		d.slices = append(d.slices, discoveryv1.EndpointSlice{})
		err = json.Unmarshal(text, &d.slices[len(d.slices)-1])
	case "Pod":
		d.pods = append(d.pods, corev1.Pod{})
		err = json.Unmarshal(text, &d.pods[len(d.pods)-1])
	case "Service":
		d.services = append(d.services, corev1.Service{})
		err = json.Unmarshal(text, &d.services[len(d.services)-1])
	default:
		return fmt.Errorf("kind %q is not recorded: give EndpointSlices, Pods or Services", kind)
	}
	if err == nil && head.Metadata.Name == "" {
		err = errors.New("it has no name")
	}
	if err != nil {
		return fmt.Errorf("%s %s/%s: %w", kind, head.Metadata.Namespace, head.Metadata.Name, err)
	}
	return nil
}

// limitReader fails once more than left bytes are read for one document.
type limitReader struct {
	r    io.Reader
	left int
}

func (l *limitReader) Read(p []byte) (int, error) {
	if l.left <= 0 {
		return 0, fmt.Errorf("it is larger than %d MiB", maxDocument>>20)
	}
	n, err := l.r.Read(p[:min(len(p), l.left)])
	l.left -= n
	return n, err
}
