package textsource

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/slicewright/slicewright/app/internal/find/evidence"
	"github.com/slicewright/slicewright/app/internal/find/textsource/detect"
	"github.com/slicewright/slicewright/app/internal/find/textsource/template"
	"github.com/slicewright/slicewright/internal/text"
)

// maxExcerpt is enough to recognise a call; a minified line can have a million.
const maxExcerpt = 160

// acknowledgement in a comment, on the line or the one above, says that a
// place is known and wanted.
const acknowledgement = "slicewright:acknowledged"

// findings turns the hits of one file into findings, in order of place. Two
// detectors that speak of one place are one finding: the surer one. The second
// result is, for each finding, the setting that would remove it.
func findings(path string, scope evidence.Scope, data []byte, hits []detect.Hit) ([]evidence.Finding, []string) {
	if len(hits) == 0 {
		return nil, nil
	}
	slices.SortStableFunc(hits, func(a, b detect.Hit) int {
		return cmp.Or(cmp.Compare(a.Offset, b.Offset), cmp.Compare(rank(a.Confidence), rank(b.Confidence)))
	})
	hits = slices.CompactFunc(hits, func(a, b detect.Hit) bool { return a.Offset == b.Offset })
	ix := detect.NewLineIndex(data)
	out := make([]evidence.Finding, 0, len(hits))
	settings := make([]string, 0, len(hits))
	for _, h := range hits {
		line, column := ix.Position(h.Offset)
		f := evidence.Finding{
			Subject:    h.Subject,
			Class:      h.Class,
			Confidence: h.Confidence,
			Status:     evidence.Unmigrated,
			Verbs:      map[string]int{h.Verb: 1},
			Access:     []string{h.Access},
			Advice:     h.Advice,
			Evidence: []evidence.Evidence{{
				Source:   evidence.SourceText,
				Detector: h.Detector,
				Locator:  fmt.Sprintf("%s:%d:%d", path, line, column),
				Count:    1,
				Verb:     h.Verb,
				Scope:    scope,
				Excerpt:  excerpt(ix.Line(line), column),
			}},
		}
		if h.Dual {
			f.Status = evidence.Dual
		}
		if acknowledged(ix, line) {
			f.Status = evidence.Acknowledged
		}
		if h.Namespace != "" && !strings.ContainsRune(h.Namespace, template.Filler) {
			f.Namespaces = []string{h.Namespace}
		}
		if h.Note != "" {
			f.Notes = []string{h.Note}
		}
		out = append(out, f)
		settings = append(settings, h.Setting)
	}
	return out, settings
}

func acknowledged(ix *detect.LineIndex, line int) bool {
	return strings.Contains(string(ix.Line(line)), acknowledgement) ||
		strings.Contains(string(ix.Line(line-1)), acknowledgement)
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
	return text.Excerpt(string(line), maxExcerpt)
}
