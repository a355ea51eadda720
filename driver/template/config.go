package template

import (
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"text/template"
	"time"
)

//go:embed templates/*.tmpl
var shipped embed.FS

// builtin maps the sources that begin with "builtin:" to the templates that
// come with the product.
var builtin = map[string]string{
	"builtin:nginx": "templates/nginx.conf.tmpl",
	"builtin:json":  "templates/backends.json.tmpl",
}

// Config says what is rendered and what is run.
type Config struct {
	// Source is a file with a Go text/template over [Data], or "builtin:nginx"
	// or "builtin:json".
	Source string
	// Destination is the file that is written.
	Destination string
	// Check is a command that must succeed before the new content counts, as a
	// list of arguments. Where an argument holds "{candidate}", that is the new
	// content in a file of its own, and the destination is not touched before
	// the check has succeeded. Empty: nothing is checked.
	Check []string
	// Reload is a command that makes the reader take the new content. Empty:
	// nothing is run.
	Reload []string
	// MinInterval is the smallest time between two reloads; changes in between
	// go out together. 0 does not bound it.
	MinInterval time.Duration
	// CommandTimeout bounds each command; default 10 s.
	CommandTimeout time.Duration
}

// candidate is replaced by the new content's file in an argument of Check.
const candidate = "{candidate}"

// upstreamName is what can stand unquoted in the shipped templates.
var upstreamName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

// ValidName reports whether an upstream's name can stand in a template as it is.
func ValidName(name string) bool { return upstreamName.MatchString(name) }

func (c *Config) load() (*template.Template, error) {
	if c.Source == "" {
		return nil, errors.New("template: source is missing: give a template file, builtin:nginx or builtin:json")
	}
	if c.Destination == "" {
		return nil, errors.New("template: destination is missing: give the file to write")
	}
	if c.MinInterval < 0 || c.CommandTimeout < 0 {
		return nil, errors.New("template: an interval or time-out is negative")
	}
	for name, command := range map[string][]string{"check": c.Check, "reload": c.Reload} {
		if len(command) > 0 && command[0] == "" {
			return nil, fmt.Errorf("template: %s: the first argument, the program, is empty", name)
		}
	}
	var text []byte
	var err error
	if file, ok := builtin[c.Source]; ok {
		text, err = shipped.ReadFile(file)
	} else if strings.HasPrefix(c.Source, "builtin:") {
		return nil, fmt.Errorf("template: there is no source %q: use builtin:nginx or builtin:json", c.Source)
	} else {
		text, err = os.ReadFile(c.Source)
	}
	if err != nil {
		return nil, fmt.Errorf("template: read source: %w", err)
	}
	// A missing key is a typing error, not an empty string.
	parsed, err := template.New(filepath.Base(c.Source)).Option("missingkey=error").Funcs(functions).Parse(string(text))
	if err != nil {
		return nil, fmt.Errorf("template: parse source %s: %w", c.Source, err)
	}
	return parsed, nil
}

var functions = template.FuncMap{
	"json": func(v any) (string, error) {
		data, err := json.MarshalIndent(v, "", "  ")
		return string(data), err
	},
	"join": strings.Join,
}

func (c *Config) checksCandidate() bool {
	return slices.ContainsFunc(c.Check, func(arg string) bool { return strings.Contains(arg, candidate) })
}
