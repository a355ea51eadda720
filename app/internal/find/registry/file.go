package registry

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"sigs.k8s.io/yaml"

	"github.com/slicewright/slicewright/internal/atomicfile"
)

// maxFile bounds a registry file, in bytes.
const maxFile = 256 << 20

// Load reads a registry from a YAML or JSON file. A missing file is an error
// that wraps fs.ErrNotExist.
func Load(name string) (*Registry, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("reading the registry: %w", err)
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, fmt.Errorf("reading the registry %s: %w", name, err)
	}
	if len(b) > maxFile {
		return nil, fmt.Errorf("reading the registry %s: it is larger than %d bytes", name, maxFile)
	}
	r, err := Parse(b)
	if err != nil {
		return nil, fmt.Errorf("reading the registry %s: %w", name, err)
	}
	return r, nil
}

// LoadIfExists is Load, and returns nil for a file that does not exist yet.
func LoadIfExists(name string) (*Registry, error) {
	r, err := Load(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return r, err
}

// Parse reads a registry. Unknown fields are errors: a misspelled "owner" would
// be lost at the next write.
func Parse(b []byte) (*Registry, error) {
	var r Registry
	if err := yaml.UnmarshalStrict(b, &r); err != nil {
		return nil, err
	}
	if r.Kind != Kind || r.APIVersion != APIVersion {
		return nil, fmt.Errorf("it is %q %q, not %s %s", r.APIVersion, r.Kind, APIVersion, Kind)
	}
	r.Comments = readComments(b)
	return &r, nil
}

// Save writes the registry as YAML, whole or not at all, with the comments of the
// file that it was loaded from or reconciled with.
func (r *Registry) Save(name string) error {
	b, err := r.text()
	if err != nil {
		return fmt.Errorf("writing the registry %s: %w", name, err)
	}
	if err := atomicfile.Write(name, b, 0o644); err != nil {
		return fmt.Errorf("writing the registry: %w", err)
	}
	return nil
}
