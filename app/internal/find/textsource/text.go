package textsource

import (
	"fmt"
	"reflect"
	"sort"

	"github.com/slicewright/slicewright/app/internal/find/evidence"
)

// source is a text to look into: a file, or a text inside one, such as a
// script in a ConfigMap. It knows where each of its bytes stands in the file.
type source struct {
	data []byte
	// origin maps an offset in data to one in the enclosing text. Nil for a
	// file, and then out is where hits go.
	origin func(int) int
	parent *source
	out    *[]hit
	// subject is who runs the text, when a manifest around it says so.
	subject evidence.Subject
	// problem records what was not read. Shared with the file's.
	problem func(offset int, message string)
	// turned collects settings that turn a library to slices. Shared with the
	// file's; nil where nobody asks.
	turned func(setting string)
	depth  int
	// detectors read the texts in this one.
	detectors detectors
	// calls caches callsAPI: 0 for not looked yet.
	calls int8
}

// report adds a hit at an offset of this text.
func (s *source) report(h hit) {
	if isEmptySubject(h.subject) {
		h.subject = s.subject
	}
	for s.parent != nil {
		h.offset = s.origin(h.offset)
		s = s.parent
	}
	if len(*s.out) == maxHits {
		s.problem(h.offset, fmt.Sprintf("more than %d places in one file; the rest are not listed", maxHits))
		return
	}
	*s.out = append(*s.out, h)
}

// callsAPI reports whether the file speaks of the API server at all. It decides
// about what other programs have too, such as a path /api/v1/endpoints.
func (s *source) callsAPI() bool {
	for s.parent != nil {
		s = s.parent
	}
	if s.calls == 0 {
		s.calls = -1
		if containsAny(s.data, kubeWords) {
			s.calls = 1
		}
	}
	return s.calls > 0
}

// fail records that something at an offset was not read.
func (s *source) fail(offset int, message string) {
	for s.parent != nil {
		offset = s.origin(offset)
		s = s.parent
	}
	s.problem(offset, message)
}

// maxDepth bounds texts in texts: a script in a manifest in a ConfigMap in a
// chart's values is four.
const maxDepth = 6

// inner is a text inside this one; nil when there are too many around it.
func (s *source) inner(data []byte, origin func(int) int) *source {
	if s.depth >= maxDepth {
		return nil
	}
	return &source{data: data, origin: origin, parent: s, subject: s.subject, depth: s.depth + 1, detectors: s.detectors}
}

// detached is a text like one inside this one, whose hits go to hits alone and
// whose problems nobody is told of. Nil when there are too many texts around it.
func (s *source) detached(data []byte, hits *[]hit) *source {
	in := s.inner(data, func(int) int { return 0 })
	if in == nil {
		return nil
	}
	in.calls = -1
	if s.callsAPI() {
		in.calls = 1
	}
	in.parent, in.out, in.problem = nil, hits, func(int, string) {}
	return in
}

// turn notes that a setting turns its library to slices.
func (s *source) turn(setting string) {
	for s.parent != nil {
		s = s.parent
	}
	if s.turned != nil {
		s.turned(setting)
	}
}

// unescapeSlashes is a text of this one's length with each \/ as /.
func (s *source) unescapeSlashes(text []byte) *source {
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
	return s.inner(out, func(o int) int { return o + sort.SearchInts(dropped, o+1) })
}

// slice is the inner text that stands in this one byte for byte.
func (s *source) slice(start, end int) *source {
	return s.inner(s.data[start:end], func(o int) int { return start + o })
}

// maxHits is how many places one file can have; a person reads none of so many.
const maxHits = 2000

// kubeWords are what a program that calls the API itself must name one of: its
// address, its credentials, a client.
var kubeWords = needles("kubernetes.default", "KUBERNETES_SERVICE", "serviceaccount", "6443", "apiserver", "api_server", "apiServer", "APISERVER", "kubeconfig", "KubeConfig", "KUBECONFIG", "kubernetes/client", "k8s.io", "kubectl proxy", ":8001/api")

// isEmptySubject: evidence.Subject holds a slice and cannot be compared.
func isEmptySubject(s evidence.Subject) bool { return reflect.ValueOf(s).IsZero() }
