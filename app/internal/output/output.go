// Package output writes results in the formats that programs read, and checks what was
// asked for with -o.
package output

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"
)

// JSON writes v as JSON, indented by two spaces, with a line end.
func JSON(w io.Writer, v any) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(v)
}

// YAML writes v as YAML, with the field names that v has in JSON.
func YAML(w io.Writer, v any) error {
	data, err := yaml.Marshal(v)
	if err != nil {
		return err
	}
	_, err = w.Write(data)
	return err
}

// Check returns an error that lists the formats if format is not one of them.
func Check(format string, formats []string) error {
	if slices.Contains(formats, format) {
		return nil
	}
	return fmt.Errorf("unknown output %q: use one of %s", format, strings.Join(formats, ", "))
}
