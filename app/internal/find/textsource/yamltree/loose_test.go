package yamltree

import (
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// FuzzLooseYAML: any text gives a tree, with places inside it.
func FuzzLooseYAML(f *testing.F) {
	f.Add("a:\n- b: |\n    c\n  d: [1, {e: f}]\n-\n  - g")
	f.Fuzz(func(t *testing.T, text string) {
		root := ReadLoosely([]byte(text))
		lines := strings.Count(text, "\n") + 1
		var walk func(n *yaml.Node, depth int)
		walk = func(n *yaml.Node, depth int) {
			if n.Line > lines+1 {
				t.Fatalf("a node on line %d of %d", n.Line, lines)
			}
			if depth > 3*maxLoose+600 {
				t.Fatalf("nested %d deep", depth)
			}
			for _, c := range n.Content {
				walk(c, depth+1)
			}
		}
		walk(root, 0)
	})
}
