package replay

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	discoveryv1 "k8s.io/api/discovery/v1"
	apiwatch "k8s.io/apimachinery/pkg/watch"

	"github.com/slicewright/slicewright/endpointset"
	"github.com/slicewright/slicewright/internal/manifest"
)

// Event is one step of a recorded watch.
type Event struct {
	// Put is a slice that was added or modified.
	Put *discoveryv1.EndpointSlice
	// Deleted is a slice that was deleted, as it last was.
	Deleted *discoveryv1.EndpointSlice
	// Relist is set when a list replaces everything; List is that list.
	Relist bool
	List   []*discoveryv1.EndpointSlice
}

// Apply brings an index up to date.
func (e *Event) Apply(ix *endpointset.Index) []endpointset.Change {
	switch {
	case e.Relist:
		parsed := make([]*endpointset.Slice, 0, len(e.List))
		for _, es := range e.List {
			parsed = append(parsed, ix.Parse(es))
		}
		return ix.Replace("", parsed)
	case e.Deleted != nil:
		return ix.Delete(endpointset.SliceKey{Namespace: e.Deleted.Namespace, Name: e.Deleted.Name})
	}
	return ix.Apply(ix.Parse(e.Put))
}

// Slices returns the slices that the event is about.
func (e *Event) Slices() []*discoveryv1.EndpointSlice {
	switch {
	case e.Relist:
		return e.List
	case e.Deleted != nil:
		return []*discoveryv1.EndpointSlice{e.Deleted}
	}
	return []*discoveryv1.EndpointSlice{e.Put}
}

// Stream reads a recorded watch to its end and calls each for every event, as
// they come in. Bookmarks and errors of the watch change nothing (S15) and are
// passed over. name is the stream's name in errors.
func Stream(name string, r io.Reader, each func(Event) error) error {
	decoder := json.NewDecoder(manifest.UTF8(r))
	for number := 1; ; number++ {
		var raw json.RawMessage
		err := decoder.Decode(&raw)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if errors.Is(err, io.ErrUnexpectedEOF) {
			return fmt.Errorf("%s: event %d: the stream ends in the middle of it: the recording is cut", name, number)
		}
		if err != nil {
			return fmt.Errorf("%s: event %d, at byte %d: %w", name, number, decoder.InputOffset(), err)
		}
		event, ok, err := parseEvent(raw)
		if err != nil {
			return fmt.Errorf("%s: event %d: %w", name, number, err)
		}
		if !ok {
			continue
		}
		if err := each(event); err != nil {
			return err
		}
	}
}

// parseEvent returns ok false for what changes nothing.
func parseEvent(raw []byte) (event Event, ok bool, err error) {
	var envelope struct {
		Type   apiwatch.EventType `json:"type"`
		Object json.RawMessage    `json:"object"`
		Kind   string             `json:"kind"`
	}
	if err := json.Unmarshal(raw, &envelope); err != nil {
		return Event{}, false, err
	}
	if envelope.Type == "" {
		if envelope.Kind == "List" || envelope.Kind == "EndpointSliceList" {
			c, err := read(manifest.ObjectsOf(raw))
			return Event{Relist: true, List: c.slices}, err == nil, err
		}
		return Event{}, false, fmt.Errorf("a %q without a type: record with kubectl's --output-watch-events, or a deletion cannot be told", envelope.Kind)
	}
	switch envelope.Type {
	case apiwatch.Bookmark, apiwatch.Error:
		return Event{}, false, nil
	case apiwatch.Added, apiwatch.Modified, apiwatch.Deleted:
	default:
		return Event{}, false, fmt.Errorf("the type %q is not one of ADDED, MODIFIED, DELETED, BOOKMARK, ERROR", envelope.Type)
	}
	c, err := read(manifest.ObjectsOf(envelope.Object))
	if err != nil {
		return Event{}, false, err
	}
	if len(c.slices) != 1 {
		for kind := range c.others {
			return Event{}, false, fmt.Errorf("it is about a %q, not about an EndpointSlice", kind)
		}
		return Event{}, false, errors.New("it is about no single EndpointSlice")
	}
	if envelope.Type == apiwatch.Deleted {
		return Event{Deleted: c.slices[0]}, true, nil
	}
	return Event{Put: c.slices[0]}, true, nil
}
