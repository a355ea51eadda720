package registry

import (
	"bytes"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	sigsyaml "sigs.k8s.io/yaml"

	"github.com/slicewright/slicewright/app/internal/yamlnode"
)

// Comments are what people wrote beside the fields of a registry file. The zero
// value has none.
type Comments struct {
	root *yaml.Node // the file's top mapping; nil if nobody wrote a comment
	// head and foot are above everything and below it.
	head, foot string
	entries    map[string]bool // keys of entries with comments
}

// readComments finds the comments in a registry file. A file that parses as a
// registry and not here has none: JSON with tabs, for example.
func readComments(text []byte) *Comments {
	if !bytes.Contains(text, []byte("#")) {
		return nil
	}
	var doc yaml.Node
	if yaml.Unmarshal(text, &doc) != nil || len(doc.Content) != 1 || doc.Content[0].Kind != yaml.MappingNode {
		return nil
	}
	c := &Comments{root: doc.Content[0], entries: make(map[string]bool)}
	// Where our own header ends and people's begin is for the parser to guess.
	c.head = withoutHeader(doc.HeadComment)
	first := c.root.Content
	if len(first) > 0 {
		first[0].HeadComment = withoutHeader(first[0].HeadComment)
	}
	c.root.HeadComment = withoutHeader(c.root.HeadComment)
	c.foot = doc.FootComment
	if _, list := yamlnode.Field(c.root, "entries"); list != nil {
		for _, item := range list.Content {
			if key := keyOf(item); key != "" && commented(item, 0) {
				c.entries[key] = true
			}
		}
	}
	return c
}

// on reports whether somebody commented an entry.
func (c *Comments) on(key string) bool { return c != nil && c.entries[key] }

// into writes a registry's text with the comments where they were.
func (c *Comments) into(text []byte) ([]byte, error) {
	if c == nil {
		return text, nil
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return nil, err
	}
	doc.HeadComment, doc.FootComment = c.head, c.foot
	copyComments(doc.Content[0], c.root, 0)
	var out bytes.Buffer
	encoder := yaml.NewEncoder(&out)
	encoder.SetIndent(2)
	encoder.CompactSeqIndent()
	if err := encoder.Encode(&doc); err != nil {
		return nil, err
	}
	if err := encoder.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// maxNesting is more than a registry has.
const maxNesting = 32

// copyComments gives a node the comments of what it was before. What stands in a
// list is known again by its key, or by what it says.
func copyComments(now, was *yaml.Node, depth int) {
	now.HeadComment, now.LineComment, now.FootComment = was.HeadComment, was.LineComment, was.FootComment
	if depth > maxNesting || now.Kind != was.Kind {
		return
	}
	switch now.Kind {
	case yaml.MappingNode:
		for i := 0; i+1 < len(now.Content); i += 2 {
			if key, value := yamlnode.Field(was, now.Content[i].Value); key != nil {
				copyComments(now.Content[i], key, depth+1)
				copyComments(now.Content[i+1], value, depth+1)
			}
		}
	case yaml.SequenceNode:
		known := make(map[string]*yaml.Node, len(was.Content))
		for _, item := range was.Content {
			if name := nameOf(item); known[name] == nil {
				known[name] = item
			}
		}
		for _, item := range now.Content {
			if old := known[nameOf(item)]; old != nil {
				copyComments(item, old, depth+1)
			}
		}
	}
}

// nameOf tells an item of a list from the others.
func nameOf(item *yaml.Node) string {
	switch item.Kind {
	case yaml.ScalarNode:
		return item.Value
	case yaml.MappingNode:
		if key := keyOf(item); key != "" {
			return key
		}
		var parts []string
		for _, name := range []string{"source", "detector", "locator", "verb", "name", "kind", "image"} {
			if _, value := yamlnode.Field(item, name); value != nil {
				parts = append(parts, name+"="+value.Value)
			}
		}
		return strings.Join(parts, " ")
	}
	return ""
}

func keyOf(item *yaml.Node) string {
	if _, key := yamlnode.Field(item, "key"); key != nil {
		return key.Value
	}
	return ""
}

func commented(n *yaml.Node, depth int) bool {
	return n.HeadComment+n.LineComment+n.FootComment != "" ||
		depth < maxNesting && slices.ContainsFunc(n.Content, func(c *yaml.Node) bool { return commented(c, depth+1) })
}

// header tells people what they may write.
const header = `# Who still uses the Endpoints API. Written by slicewright find --registry.
# Yours to write: owner, publishesTo, status, notes, and comments; they are kept.
# Everything else is found anew by each run.
`

// earlierHeader has the lines of headers that were written once.
const earlierHeader = `# Yours to write: owner, publishesTo, status and notes; they are kept. Everything
# else is found anew by each run, and comments are not kept.
`

// withoutHeader takes our own lines out of a comment.
func withoutHeader(comment string) string {
	var kept []string
	for line := range strings.Lines(comment) {
		line = strings.TrimRight(line, "\r\n")
		if !strings.Contains(header+earlierHeader, line+"\n") || line == "" {
			kept = append(kept, line)
		}
	}
	return strings.Trim(strings.Join(kept, "\n"), "\n")
}

// Encode returns the registry as its file has it: YAML with the comments of the
// file that it was read from or reconciled with.
func Encode(r *Registry) ([]byte, error) {
	b, err := sigsyaml.Marshal(r)
	if err != nil {
		return nil, err
	}
	if b, err = r.Comments.into(b); err != nil {
		return nil, err
	}
	return append([]byte(header), b...), nil
}
