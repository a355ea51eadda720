package textsource

import (
	"bytes"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/slicewright/slicewright/app/internal/find/evidence"
	"github.com/slicewright/slicewright/app/internal/find/textsource/detect"
)

// maxCode bounds what is split into tokens, which take some thirty times the
// text. Nobody writes so much in one file; a bundler does.
const maxCode = 4 << 20

// judge reads a file as what it is. A bug in a reader, which an untrusted file
// may find, costs that file and is reported; it does not end the scan.
func (w *worker) judge(j job, k detect.File, data []byte) {
	res := fileResult{path: j.path}
	var hits []detect.Hit
	problemAt := map[string]int{}
	s := &detect.Text{Data: data, Hits: &hits, Detectors: rooms}
	s.Problem = func(offset int, message string) {
		if _, seen := problemAt[message]; !seen {
			problemAt[message] = offset
		}
	}
	s.Turned = func(setting string) {
		if len(res.turned) < 16 {
			res.turned = append(res.turned, setting)
		}
	}
	if !utf8.Valid(data) {
		s.Data = replaceInvalid(data)
		s.Problem(firstInvalid(data), "is not UTF-8; read with ? for each invalid byte")
	}
	if (k.Kind == detect.Code || k.Kind == detect.HCL || k.Lang != nil) && len(data) > maxCode {
		s.Problem(0, fmt.Sprintf("a program of %d bytes, more than %d; it has words to look for and was not read", len(data), maxCode))
		k = detect.File{}
	}
	text := s.Data // a reader may blank comments in its own copy
	func() {
		defer func() {
			if r := recover(); r != nil {
				s.Problem(0, fmt.Sprintf("reading it failed (%v); please report this as a bug", r))
			}
		}()
		s.Read(j.path, k)
	}()
	res.findings, res.settings = findings(j.path, j.scope, text, hits)
	if len(problemAt) > 0 {
		ix := detect.NewLineIndex(text)
		for message, offset := range problemAt {
			line, column := ix.Position(offset)
			res.problems = append(res.problems, evidence.Problem{Locator: fmt.Sprintf("%s:%d:%d", j.path, line, column), Message: message})
		}
		slices.SortFunc(res.problems, func(a, b evidence.Problem) int {
			return bytes.Compare([]byte(a.Locator+a.Message), []byte(b.Locator+b.Message))
		})
	}
	if len(res.findings) > 0 || len(res.problems) > 0 || len(res.turned) > 0 {
		w.results = append(w.results, res)
	}
}

// replaceInvalid puts ? for each byte that is no UTF-8, so that every offset
// stays what it was.
func replaceInvalid(data []byte) []byte {
	out := slices.Clone(data)
	for p := 0; p < len(out); {
		r, n := utf8.DecodeRune(out[p:])
		if r == utf8.RuneError && n <= 1 {
			out[p] = '?'
			n = 1
		}
		p += n
	}
	return out
}

func firstInvalid(data []byte) int {
	for p := 0; p < len(data); {
		r, n := utf8.DecodeRune(data[p:])
		if r == utf8.RuneError && n <= 1 {
			return p
		}
		p += n
	}
	return len(data)
}
