package conformance

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Files are the documents that are made of results, by their paths within the
// checkout.
func (r *Results) Files() (map[string]string, error) {
	files := map[string]string{}
	pages, err := Pages(r)
	if err != nil {
		return nil, err
	}
	for path, content := range pages {
		files[filepath.Join("docs", path)] = content
	}
	return files, nil
}

const resultsFile = "lab/conformance/results.json"

// made are the pages of earlier results.
func made(checkout string) ([]string, error) {
	return filepath.Glob(filepath.Join(checkout, "docs/conformance/*.md"))
}

// WriteAll keeps results and writes what is made of them into a checkout, in
// place of what was made of earlier ones.
func (r *Results) WriteAll(checkout string) error {
	files, err := r.Files()
	if err != nil {
		return err
	}
	old, err := made(checkout)
	if err != nil {
		return err
	}
	var errs []error
	for _, path := range old {
		errs = append(errs, os.Remove(path))
	}
	for path, content := range files {
		path = filepath.Join(checkout, path)
		errs = append(errs, os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(content), 0o644))
	}
	errs = append(errs, r.Save(filepath.Join(checkout, resultsFile)))
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("write what was seen: %w", err)
	}
	return nil
}
