// Package table reads the tables of names that detectors look for: methods of
// clients, flags of commands, keys of configuration. A table is YAML beside the
// code that asks it, so that a name is added without touching a rule.
package table

import (
	"bytes"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Loaded is a table with the name of its file.
type Loaded struct {
	Name  string
	Table any // a pointer to the struct
}

var loaded []Loaded

// All lists every table of the program. A test tries each of their rows.
func All() []Loaded { return loaded }

// Load reads an embedded table. It is called while the program starts, and
// panics if the table does not have the shape of T: the build is broken then.
func Load[T any](name string, data []byte) *T {
	out, err := Parse[T](data)
	if err != nil {
		panic(fmt.Sprintf("%s: %v", name, err))
	}
	loaded = append(loaded, Loaded{name, out})
	return out
}

// Parse reads a table. A field that T does not have and a name that a table has
// twice are errors.
func Parse[T any](data []byte) (*T, error) {
	out := new(T)
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	decoder.KnownFields(true)
	return out, decoder.Decode(out)
}

// Set is a list of names, of which only membership is asked.
type Set map[string]bool

// UnmarshalYAML reads a sequence of names.
func (s *Set) UnmarshalYAML(n *yaml.Node) error {
	var names []string
	if err := n.Decode(&names); err != nil {
		return err
	}
	*s = make(Set, len(names))
	for _, name := range names {
		if (*s)[name] {
			return fmt.Errorf("line %d: %q is in the list twice", n.Line, name)
		}
		(*s)[name] = true
	}
	return nil
}

// BeginsAny reports whether a text begins with one of the names.
func (s Set) BeginsAny(text string) bool {
	for name := range s {
		if strings.HasPrefix(text, name) {
			return true
		}
	}
	return false
}

// EndsAny reports whether a text ends with one of the names.
func (s Set) EndsAny(text string) bool {
	for name := range s {
		if strings.HasSuffix(text, name) {
			return true
		}
	}
	return false
}

// InAny reports whether one of the names is in a text.
func (s Set) InAny(text string) bool {
	for name := range s {
		if strings.Contains(text, name) {
			return true
		}
	}
	return false
}
