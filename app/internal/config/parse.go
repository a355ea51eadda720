package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Error is something wrong with a configuration, and where.
type Error struct {
	// Line is the line in the file, 0 if none can be named.
	Line int
	// Field is the path of the field, such as upstreams[0].policy.
	Field   string
	Problem string
}

func (e *Error) Error() string {
	var b strings.Builder
	if e.Line > 0 {
		fmt.Fprintf(&b, "line %d: ", e.Line)
	}
	if e.Field != "" {
		fmt.Fprintf(&b, "%s: ", e.Field)
	}
	b.WriteString(e.Problem)
	return b.String()
}

// Parse reads a configuration whose relative paths count from dir. Unknown
// fields are errors: a misspelt one would otherwise be a setting that silently
// does nothing.
func Parse(data []byte, dir string) (*Config, error) {
	var root yaml.Node
	if err := yaml.Unmarshal(data, &root); err != nil {
		return nil, err
	}
	if len(root.Content) == 0 {
		return nil, &Error{Problem: "the file is empty"}
	}
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	decoder.KnownFields(true)
	var c Config
	if err := decoder.Decode(&c); err != nil {
		return nil, plainTypes(err)
	}
	if err := decoder.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return nil, &Error{Problem: "there is a second document: a configuration is one"}
	}
	if err := c.resolve(dir); err != nil {
		return nil, err
	}
	v := validator{root: root.Content[0]}
	v.config(&c)
	if len(v.errs) > 0 {
		return nil, errors.Join(v.errs...)
	}
	return &c, nil
}

// plainTypes takes the names of Go types out of the decoder's messages.
func plainTypes(err error) error {
	var typed *yaml.TypeError
	if !errors.As(err, &typed) {
		return err
	}
	errs := make([]error, len(typed.Errors))
	for i, message := range typed.Errors {
		field, _, found := strings.Cut(message, " not found in type ")
		if found {
			message = strings.Replace(field, "field ", "unknown field ", 1)
		}
		errs[i] = errors.New(message)
	}
	return errors.Join(errs...)
}
