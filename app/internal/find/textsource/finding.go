package textsource

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/slicewright/slicewright/app/internal/find/evidence"
)

// maxExcerpt is enough to recognise a call; a minified line can have a million.
const maxExcerpt = 160

// acknowledgement in a comment, on the line or the one above, says that a
// place is known and wanted.
const acknowledgement = "slicewright:acknowledged"

// findings turns the hits of one file into findings, in order of place. Two
// detectors that speak of one place are one finding: the surer one. The second
// result is, for each finding, the setting that would make it none.
func findings(path string, scope evidence.Scope, data []byte, hits []hit) ([]evidence.Finding, []string) {
	if len(hits) == 0 {
		return nil, nil
	}
	slices.SortStableFunc(hits, func(a, b hit) int {
		return cmp.Or(cmp.Compare(a.offset, b.offset), cmp.Compare(rank(a.confidence), rank(b.confidence)))
	})
	hits = slices.CompactFunc(hits, func(a, b hit) bool { return a.offset == b.offset })
	ix := newLineIndex(data)
	out := make([]evidence.Finding, 0, len(hits))
	settings := make([]string, 0, len(hits))
	for _, h := range hits {
		line, column := ix.position(h.offset)
		f := evidence.Finding{
			Subject:    h.subject,
			Class:      h.class,
			Confidence: h.confidence,
			Status:     evidence.Unmigrated,
			Verbs:      map[string]int{h.verb: 1},
			Access:     []string{h.access},
			Advice:     h.advice,
			Evidence: []evidence.Evidence{{
				Source:   evidence.SourceText,
				Detector: h.detector,
				Locator:  fmt.Sprintf("%s:%d:%d", path, line, column),
				Count:    1,
				Verb:     h.verb,
				Scope:    scope,
				Excerpt:  excerpt(ix.line(line), column),
			}},
		}
		if h.dual {
			f.Status = evidence.Dual
		}
		if acknowledged(ix, line) {
			f.Status = evidence.Acknowledged
		}
		if h.namespace != "" && !strings.ContainsRune(h.namespace, filler) {
			f.Namespaces = []string{h.namespace}
		}
		if h.note != "" {
			f.Notes = []string{h.note}
		}
		out = append(out, f)
		settings = append(settings, h.setting)
	}
	return out, settings
}

func acknowledged(ix *lineIndex, line int) bool {
	return strings.Contains(string(ix.line(line)), acknowledgement) ||
		strings.Contains(string(ix.line(line-1)), acknowledgement)
}

func rank(c evidence.Confidence) int {
	if c == evidence.Likely {
		return 0
	}
	return 1
}

// excerpt is the part of a line around a column, printable and short.
func excerpt(line []byte, column int) string {
	if len(line) > maxExcerpt {
		from := max(0, min(column-1-maxExcerpt/4, len(line)-maxExcerpt))
		line = line[from : from+maxExcerpt]
	}
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, string(line)))
}
