package engine

import (
	"fmt"
	"io"
	"os"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/slicewright/slicewright/app/internal/find/chart"
)

// maxValues bounds a values file, in bytes.
const maxValues = 8 << 20

// ReadValues reads a values file. from is its name, or CHART=FILE for one chart
// alone, unless a file has that very name.
func ReadValues(from string) (chart.Values, error) {
	v := chart.Values{Name: from}
	if name, file, found := strings.Cut(from, "="); found {
		if _, err := os.Stat(from); err != nil {
			v.Chart, v.Name = name, file
		}
	}
	file, err := os.Open(v.Name)
	if err != nil {
		return v, err
	}
	defer file.Close()
	if v.Data, err = io.ReadAll(io.LimitReader(file, maxValues+1)); err != nil {
		return v, fmt.Errorf("%s: %w", v.Name, err)
	}
	if len(v.Data) > maxValues {
		return v, fmt.Errorf("%s: it is larger than %d bytes", v.Name, maxValues)
	}
	if err := validateValues(v.Data); err != nil {
		return v, fmt.Errorf("%s: it is no YAML mapping: %w", v.Name, err)
	}
	return v, nil
}

// validateValues reports whether text is a values file.
func validateValues(text []byte) error {
	var v map[string]any
	return yaml.Unmarshal(text, &v)
}
