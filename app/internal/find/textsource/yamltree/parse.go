package yamltree

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// maxYAML bounds what is given to the parser: its tree takes some fifty times
// the text.
const maxYAML = 4 << 20

// Parse reads one document into nodes. Aliases are not followed anywhere,
// so that a text of a few lines cannot become a tree of billions.
func Parse(text []byte) (root *yaml.Node, err error) {
	defer func() {
		if r := recover(); r != nil {
			root, err = nil, fmt.Errorf("parser failed: %v", r)
		}
	}()
	if len(text) > maxYAML {
		return nil, fmt.Errorf("a document of %d bytes, more than %d", len(text), maxYAML)
	}
	if nested(text) {
		return nil, fmt.Errorf("brackets nested too deeply")
	}
	var n yaml.Node
	if err := yaml.Unmarshal(text, &n); err != nil {
		return nil, fmt.Errorf("%s", strings.TrimPrefix(firstLine(err.Error()), "yaml: "))
	}
	return &n, nil
}

// nested finds a run of opening brackets that no person writes and that costs
// the parser quadratic time.
func nested(text []byte) bool {
	depth := 0
	for _, c := range text {
		switch c {
		case '[', '{':
			if depth++; depth > 500 {
				return true
			}
		case ']', '}':
			depth = max(0, depth-1)
		}
	}
	return false
}

var yamlLine = regexp.MustCompile(`^line (\d+): (.*)$`)

// ErrorLine is the line that the parser names, counted from the document's
// first, and what it says of it.
func ErrorLine(err error) (int, string) {
	m := yamlLine.FindStringSubmatch(err.Error())
	if m == nil {
		return 1, err.Error()
	}
	line, _ := strconv.Atoi(m[1])
	return line, m[2]
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}
