// Package registryfile keeps a registry in a file.
package registryfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/slicewright/slicewright/app/internal/find/registry"
	"github.com/slicewright/slicewright/internal/atomicfile"
)

// maxFile bounds a registry file, in bytes.
const maxFile = 256 << 20

// Load reads a registry from a YAML or JSON file. A missing file is an error
// that wraps fs.ErrNotExist.
func Load(name string) (*registry.Registry, error) {
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
	r, err := registry.Parse(b)
	if err != nil {
		return nil, fmt.Errorf("reading the registry %s: %w", name, err)
	}
	return r, nil
}

// LoadIfExists is Load, and returns nil for a file that does not exist yet.
func LoadIfExists(name string) (*registry.Registry, error) {
	r, err := Load(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return r, err
}

// Save writes the registry as YAML, whole or not at all, with the comments of the
// file that it was loaded from or reconciled with.
func Save(name string, r *registry.Registry) error {
	b, err := registry.Encode(r)
	if err != nil {
		return fmt.Errorf("writing the registry %s: %w", name, err)
	}
	if err := atomicfile.Write(name, b, 0o644); err != nil {
		return fmt.Errorf("writing the registry: %w", err)
	}
	return nil
}
