package detect

import (
	"fmt"
	"reflect"
	"sort"

	"github.com/slicewright/slicewright/app/internal/find/evidence"
)

// Text is a text to look into: a file, or a text inside one, such as a script
// in a ConfigMap. It knows the place of each of its bytes in the file.
type Text struct {
	Data []byte
	// origin maps an offset in data to one in the enclosing text. Nil for a
	// file, and then out is where hits go.
	origin func(int) int
	parent *Text
	Hits   *[]Hit
	// Subject is who runs the text, when a manifest around it says so.
	Subject evidence.Subject
	// Problem records what was not read. Shared with the file's.
	Problem func(offset int, message string)
	// Turned collects settings that turn a library to slices. Shared with the
	// file's; nil where nobody asks.
	Turned func(setting string)
	depth  int
	// Detectors read the texts in this one.
	Detectors Detectors
	// calls caches callsAPI: 0 for not looked yet.
	calls int8
}

// Report adds a hit at an offset of this text.
func (s *Text) Report(h Hit) {
	if isEmptySubject(h.Subject) {
		h.Subject = s.Subject
	}
	for s.parent != nil {
		h.Offset = s.origin(h.Offset)
		s = s.parent
	}
	if len(*s.Hits) == maxHits {
		s.Problem(h.Offset, fmt.Sprintf("more than %d places in one file; the rest are not listed", maxHits))
		return
	}
	*s.Hits = append(*s.Hits, h)
}

// CallsAPI reports whether the file speaks of the API server at all. It decides
// about what other programs have too, such as a path /api/v1/endpoints.
func (s *Text) CallsAPI() bool {
	for s.parent != nil {
		s = s.parent
	}
	if s.calls == 0 {
		s.calls = -1
		if ContainsAny(s.Data, kubeWords) {
			s.calls = 1
		}
	}
	return s.calls > 0
}

// Fail records that something at an offset was not read.
func (s *Text) Fail(offset int, message string) {
	for s.parent != nil {
		offset = s.origin(offset)
		s = s.parent
	}
	s.Problem(offset, message)
}

// maxDepth bounds texts in texts: a script in a manifest in a ConfigMap in a
// chart's values is four.
const maxDepth = 6

// Inner is a text inside this one; nil when there are too many around it.
func (s *Text) Inner(data []byte, origin func(int) int) *Text {
	if s.depth >= maxDepth {
		return nil
	}
	return &Text{Data: data, origin: origin, parent: s, Subject: s.Subject, depth: s.depth + 1, Detectors: s.Detectors}
}

// Detached is a text like one inside this one, whose hits go to hits alone and
// whose problems nobody is told of. Nil when there are too many texts around it.
func (s *Text) Detached(data []byte, hits *[]Hit) *Text {
	in := s.Inner(data, func(int) int { return 0 })
	if in == nil {
		return nil
	}
	in.calls = -1
	if s.CallsAPI() {
		in.calls = 1
	}
	in.parent, in.Hits, in.Problem = nil, hits, func(int, string) {}
	return in
}

// Turn notes that a setting turns its library to slices.
func (s *Text) Turn(setting string) {
	for s.parent != nil {
		s = s.parent
	}
	if s.Turned != nil {
		s.Turned(setting)
	}
}

// UnescapeSlashes is a text of this one's length with each \/ as /.
func (s *Text) UnescapeSlashes(text []byte) *Text {
	var dropped []int // where a backslash went, in the result
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+1 < len(text) {
			if text[i+1] == '/' {
				dropped = append(dropped, len(out))
				continue
			}
			out = append(out, text[i])
			i++
		}
		out = append(out, text[i])
	}
	return s.Inner(out, func(o int) int { return o + sort.SearchInts(dropped, o+1) })
}

// Slice is an inner text that is in this text byte for byte.
func (s *Text) Slice(start, end int) *Text {
	return s.Inner(s.Data[start:end], func(o int) int { return start + o })
}

// maxHits is how many places one file can have; a person reads none of so many.
const maxHits = 2000

// kubeWords are what a program that calls the API itself must name one of: its
// address, its credentials, a client.
var kubeWords = Needles("kubernetes.default", "KUBERNETES_SERVICE", "serviceaccount", "6443", "apiserver", "api_server", "apiServer", "APISERVER", "kubeconfig", "KubeConfig", "KUBECONFIG", "kubernetes/client", "k8s.io", "kubectl proxy", ":8001/api")

// isEmptySubject: evidence.Subject holds a slice and cannot be compared.
func isEmptySubject(s evidence.Subject) bool { return reflect.ValueOf(s).IsZero() }
