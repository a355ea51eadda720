package replay

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	discoveryv1 "k8s.io/api/discovery/v1"

	"github.com/slicewright/slicewright/internal/manifest"
)

// Files returns all EndpointSlices in the files, in their order. A path may be
// a file, a folder (its .yaml, .yml and .json files, not deeper), or "-" for
// stdin. Objects of other kinds beside slices are passed over. A file without any
// slice is an error, and so is a file that does not say everything: one with an
// incomplete list, or with something that has no kind.
func Files(paths []string, stdin io.Reader) ([]*discoveryv1.EndpointSlice, error) {
	var all []*discoveryv1.EndpointSlice
	for _, path := range paths {
		found, err := fromPath(path, stdin)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

func fromPath(path string, stdin io.Reader) ([]*discoveryv1.EndpointSlice, error) {
	if path == "-" {
		return fromReader("stdin", stdin)
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return fromFile(path)
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, err
	}
	var all []*discoveryv1.EndpointSlice
	read := 0
	for _, entry := range entries {
		if entry.IsDir() || !slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(entry.Name())) {
			continue
		}
		read++
		found, err := fromFile(filepath.Join(path, entry.Name()))
		var none *noSliceError
		if errors.As(err, &none) {
			continue // another manifest beside those of slices
		}
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s: no EndpointSlice in its %d .yaml, .yml and .json files", path, read)
	}
	return all, nil
}

func fromFile(path string) ([]*discoveryv1.EndpointSlice, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return fromReader(path, file)
}

// noSliceError says that a file holds no EndpointSlice, and what instead.
type noSliceError struct {
	name   string
	others map[string]int
}

func (e *noSliceError) Error() string {
	if len(e.others) == 0 {
		return fmt.Sprintf("%s: no EndpointSlice in it: it holds no object", e.name)
	}
	var found []string
	for _, kind := range slices.Sorted(maps.Keys(e.others)) {
		found = append(found, fmt.Sprintf("%d × %q", e.others[kind], kind))
	}
	return fmt.Sprintf("%s: no EndpointSlice in it, but %s", e.name, strings.Join(found, ", "))
}

// maxDocument bounds a document, in bytes: a dump of all slices of a large cluster
// is one List of some hundred megabytes.
const maxDocument = 1 << 30

func fromReader(name string, r io.Reader) ([]*discoveryv1.EndpointSlice, error) {
	c, err := read(manifest.Objects(r, maxDocument))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(c.slices) == 0 {
		return nil, &noSliceError{name, c.others}
	}
	return c.slices, nil
}
