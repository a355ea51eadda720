package template

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/slicewright/slicewright/app/internal/find/evidence"
	"github.com/slicewright/slicewright/app/internal/find/textsource/detect"
)

// adviceHelmLookup is the EndpointSlice way of Helm's lookup.
const adviceHelmLookup = `Use lookup "discovery.k8s.io/v1" "EndpointSlice" NAMESPACE "" and keep those with the label kubernetes.io/service-name.`

// Filler is in the place of a template action whose value only rendering
// tells. It is a letter that YAML takes anywhere and that nobody repeats.
const Filler = 'ˣ'

// lookupCall is Helm's read of the cluster while it renders.
var lookupCall = regexp.MustCompile(`\blookup\s+\(?["']?v1["']?\)?\s+["'](Endpoints)["']\s*([^\s)}]*)\s*([^\s)}]*)`)

// ReadLookups looks into template actions themselves.
func ReadLookups(s *detect.Text) {
	forActions(s.Data, func(start, end int) {
		action := s.Data[start:end]
		if isComment(action) {
			return
		}
		m := lookupCall.FindSubmatchIndex(action)
		if m == nil {
			return
		}
		verb := "get"
		if name := string(action[m[6]:m[7]]); name == `""` || name == "" {
			verb = "list"
		}
		s.Report(detect.Hit{
			Offset: start + m[0], Detector: "text/helm-lookup", Class: evidence.Reader, Confidence: evidence.Likely,
			Verb: verb, Access: verb, Advice: adviceHelmLookup,
		})
	})
}

// forActions calls f with each {{…}}.
func forActions(data []byte, f func(start, end int)) {
	// dead is how far an action without an end was followed: what opens before
	// there is not followed again, or a text of {{ would take quadratic time.
	for p, dead := 0, 0; ; {
		i := bytes.Index(data[p:], []byte("{{"))
		if i < 0 {
			return
		}
		start := p + i
		end, closed := 0, false
		if start >= dead {
			if end, closed = actionEnd(data, start); !closed {
				dead = start + maxAction
			}
		}
		if !closed {
			end = len(data)
			if nl := bytes.IndexByte(data[start:], '\n'); nl >= 0 {
				end = start + nl
			}
		}
		f(start, end)
		p = end
	}
}

// maxAction bounds how far an action's end is looked for.
const maxAction = 16 << 10

// actionEnd is the offset after the }} of the action at start, minding quotes
// and comments.
func actionEnd(data []byte, start int) (int, bool) {
	limit := min(len(data), start+maxAction)
	body := bytes.TrimLeft(data[start+2:limit], "- ")
	if bytes.HasPrefix(body, []byte("/*")) {
		if i := bytes.Index(data[start:limit], []byte("*/")); i >= 0 {
			if j := bytes.Index(data[start+i:limit], []byte("}}")); j >= 0 {
				return start + i + j + 2, true
			}
		}
	}
	var quote byte
	for p := start + 2; p < limit; p++ {
		switch c := data[p]; {
		case quote != 0:
			if c == '\\' && quote == '"' {
				p++
			} else if c == quote || c == '\n' && quote != '`' {
				quote = 0
			}
		case c == '"' || c == '`':
			quote = c
		case c == '}' && p+1 < len(data) && data[p+1] == '}':
			return p + 2, true
		}
	}
	return 0, false
}

func isComment(action []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(action[min(2, len(action)):], "- "), []byte("/*"))
}

// silent are actions that print nothing by themselves.
var silent = []string{"if", "else", "end", "range", "with", "define", "block", "break", "continue", "fail", "/*", "$"}

// Blank puts, for each template action, what keeps the text YAML of the same
// length: blanks for an action that prints nothing or is alone on its line,
// the default where one is written, filler otherwise. Jinja's {%…%} and {#…#}
// are blanks.
func Blank(data []byte) []byte {
	out := bytes.Clone(data)
	forActions(data, func(start, end int) {
		action := string(data[start:end])
		if aloneOnLine(data, start, end) || isSilent(action) {
			detect.Overwrite(out[start:end], "")
			return
		}
		detect.Overwrite(out[start:end], actionValue(action))
	})
	for _, marks := range [][2]string{{"{%", "%}"}, {"{#", "#}"}} {
		for p, dead := 0, 0; ; {
			i := bytes.Index(out[p:], []byte(marks[0]))
			if i < 0 {
				break
			}
			start := p + i
			p = start + 2
			if start < dead {
				continue
			}
			dead = start + maxAction
			if j := bytes.Index(out[start:min(len(out), start+maxAction)], []byte(marks[1])); j >= 0 {
				p = start + j + 2
				dead = p
				detect.Overwrite(out[start:p], "")
			}
		}
	}
	return out
}

// actionValue is what an action most plausibly prints: the word of ours that
// it names as a default, or filler of the same width.
func actionValue(action string) string {
	for _, word := range []string{"endpoints", "Endpoints", "EndpointSlice", "endpointslice", "v1"} {
		for _, quote := range []string{`"`, "`"} {
			if strings.Contains(action, quote+word+quote) && (strings.Contains(action, "default") || strings.Contains(action, "ternary") || strings.Contains(action, "quote") || strings.Contains(action, "coalesce")) {
				return word
			}
		}
	}
	if strings.Contains(action, "\n") {
		return string(Filler)
	}
	return strings.Repeat(string(Filler), len(action)/len(string(Filler)))
}

func isSilent(action string) bool {
	body := strings.TrimLeft(strings.TrimPrefix(action, "{{"), "- \t\r\n")
	for _, word := range silent {
		if strings.HasPrefix(body, word) && (len(body) == len(word) || !detect.IsWordByte(body[len(word)]) || word == "$" && strings.Contains(body, ":=") || word == "/*") {
			return word != "$" || strings.Contains(body, ":=") || strings.Contains(body, " = ")
		}
	}
	return false
}

// aloneOnLine reports whether nothing but blanks is beside an action: what it
// prints is then lines of its own.
func aloneOnLine(data []byte, start, end int) bool {
	for p := start - 1; p >= 0 && data[p] != '\n'; p-- {
		if data[p] != ' ' && data[p] != '\t' {
			return false
		}
	}
	for p := end; p < len(data) && data[p] != '\n'; p++ {
		if data[p] != ' ' && data[p] != '\t' && data[p] != '\r' {
			return false
		}
	}
	return true
}

// BlankWords makes one word of each {{ … }}, and kubectl of an action that
// names it.
func BlankWords(data []byte) []byte {
	out := bytes.Clone(data)
	forActions(data, func(start, end int) {
		if bytes.Contains(bytes.ToLower(data[start:end]), []byte("kubectl")) {
			detect.Overwrite(out[start:end], "kubectl")
			return
		}
		for i := start; i < end; i++ {
			if out[i] != '\n' {
				out[i] = 'X'
			}
		}
		copy(out[start:end], "{}") // a gap, as everywhere
	})
	return out
}
