package manifest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"

	"sigs.k8s.io/yaml"
)

// Object is a Kubernetes object of a stream, or the head of a List, which comes before
// the objects in it.
type Object struct {
	// APIVersion and Kind are what the object says of itself. An item of a typed list
	// need not say it: then they follow from the list.
	APIVersion, Kind string
	// List says that this is a List.
	List bool
	// Place is where the object is.
	Place Place
	// JSON is the object's own text, YAML being converted. It is nil for a List. It is
	// valid until the next object.
	JSON []byte
}

// Place is where an object is in a stream.
type Place struct {
	// Document and Line are those of a Document.
	Document, Line int
	// Items are the steps into Lists, from 0: the fourth item of the first item of a
	// List is 0, 3.
	Items []int
}

// String is "document 2, which begins in line 17: items[0].items[3]".
func (p Place) String() string {
	var b strings.Builder
	if p.Document > 0 {
		fmt.Fprintf(&b, "document %d, which begins in line %d", p.Document, p.Line)
	}
	for i, item := range p.Items {
		switch {
		case i > 0:
			b.WriteByte('.')
		case b.Len() > 0:
			b.WriteString(": ")
		}
		fmt.Fprintf(&b, "items[%d]", item)
	}
	return b.String()
}

// Errorf is an error at the place.
func (p Place) Errorf(format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	if at := p.String(); at != "" {
		return fmt.Errorf("%s: %w", at, err)
	}
	return err
}

// The problems of a stream that can be read and does not say everything.
var (
	// ErrNoKind is for what has no kind beside objects that have one.
	ErrNoKind = errors.New("is no Kubernetes object, as it has no kind, and there are objects beside it: take it out, or give it its kind")
	// ErrIncomplete is for a List that is one page of a longer one.
	ErrIncomplete = errors.New("is an incomplete list (metadata.continue is set): list again without a limit, or with all pages")
)

// maxLists bounds Lists in Lists. kubectl writes one level.
const maxLists = 8

// Objects iterates over the objects of a stream, with Lists, Lists in Lists and JSON
// arrays taken apart, each document of at most limit bytes. Comments and null are nothing.
//
// An error comes in the place of an object and names where it is. The iteration goes on
// behind it where something can be found there, so that a caller may stop at the first
// error or collect all of them. ErrNoKind and ErrIncomplete can be told with errors.Is.
// What has no kind is an error only if the stream has an object with a kind: a file of
// something else altogether, such as the values of a chart, has no objects.
func Objects(stream io.Reader, limit int) iter.Seq2[Object, error] {
	return func(yield func(Object, error) bool) {
		w := walk{yield: yield}
		for docs := NewReader(stream, limit); ; {
			doc, err := docs.Next()
			if errors.Is(err, io.EOF) {
				return
			}
			at := Place{Document: max(doc.Number, 1), Line: docs.Line()}
			text := doc.Text
			if err == nil && !doc.JSON {
				text, err = yaml.YAMLToJSON(doc.Text)
			}
			if err != nil {
				if !yield(Object{Place: at}, at.Errorf("%w", err)) || doc.Text == nil && !goesOn(err) {
					return
				}
				continue
			}
			if !w.value(text, at, Object{}) {
				return
			}
		}
	}
}

// goesOn reports whether a Reader finds something behind an error of its own.
func goesOn(err error) bool {
	var syntax *SyntaxError
	return errors.Is(err, ErrTooLong) || errors.As(err, &syntax)
}

// ObjectsOf iterates as Objects does over the objects in one JSON value.
func ObjectsOf(value []byte) iter.Seq2[Object, error] {
	return func(yield func(Object, error) bool) {
		w := walk{yield: yield, known: true}
		w.value(value, Place{}, Object{})
	}
}

// walk goes through the objects of a stream.
type walk struct {
	yield func(Object, error) bool
	// known says that an object with a kind was met; nameless are places of what has
	// no kind, until then.
	known    bool
	nameless []Place
}

// head is what can be told of an object before it is decoded.
type head struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Metadata   struct {
		Name         string `json:"name"`
		GenerateName string `json:"generateName"`
		Continue     string `json:"continue"`
	} `json:"metadata"`
	Items json.RawMessage `json:"items"`
}

// isList tells PodList from an AllowList of somebody's own: an object has a name.
func (h *head) isList() bool {
	return strings.HasSuffix(h.Kind, "List") && h.Metadata.Name == "" && h.Metadata.GenerateName == ""
}

// value walks one value, an item of list if that has a kind. It reports whether to go on.
func (w *walk) value(text []byte, at Place, list Object) bool {
	text = bytes.TrimSpace(text)
	switch {
	case len(text) == 0 || bytes.Equal(text, []byte("null")):
		return true
	case text[0] == '[':
		return w.items(text, at, Object{})
	case text[0] != '{':
		return w.noKind(at)
	}
	var h head
	// Not every file of YAML is of Kubernetes: apiVersion may be a number. Of what has a
	// wrong type the decoder takes the rest, and the caller's own decoding finds it.
	_ = json.Unmarshal(text, &h)
	o := Object{APIVersion: h.APIVersion, Kind: h.Kind, Place: at, JSON: text}
	if o.Kind == "" {
		o.Kind, _ = strings.CutSuffix(list.Kind, "List")
		o.APIVersion = list.APIVersion
	}
	if o.Kind == "" {
		return w.noKind(at)
	}
	if !w.meet() {
		return false
	}
	if !h.isList() {
		return w.yield(o, nil)
	}
	o.List, o.JSON = true, nil
	if !w.yield(o, nil) {
		return false
	}
	if h.Metadata.Continue != "" && !w.yield(o, at.Errorf("the %s %w", o.Kind, ErrIncomplete)) {
		return false
	}
	return w.items(h.Items, at, o)
}

// items walks the items of a list, or those of a JSON array.
func (w *walk) items(text []byte, at Place, list Object) bool {
	var items []json.RawMessage
	if len(text) > 0 {
		if err := json.Unmarshal(text, &items); err != nil {
			return w.yield(Object{Place: at}, at.Errorf("items: %w", err))
		}
	}
	if len(at.Items) == maxLists {
		return w.yield(Object{Place: at}, at.Errorf("kind List is nested more than %d deep", maxLists))
	}
	for i, item := range items {
		inner := at
		inner.Items = append(at.Items[:len(at.Items):len(at.Items)], i)
		if !w.value(item, inner, list) {
			return false
		}
	}
	return true
}

// noKind notes what has no kind.
func (w *walk) noKind(at Place) bool {
	if !w.known {
		w.nameless = append(w.nameless, at)
		return true
	}
	return w.yield(Object{Place: at}, at.Errorf("it %w", ErrNoKind))
}

// meet notes that there is an object with a kind, which makes problems of those before
// it that have no kind.
func (w *walk) meet() bool {
	w.known = true
	for _, at := range w.nameless {
		if !w.noKind(at) {
			return false
		}
	}
	w.nameless = nil
	return true
}
