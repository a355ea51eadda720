package conformance

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Files are all that is made of results, by their paths within the checkout:
// the documents and the reproductions.
func (r *Results) Files() (map[string]string, error) {
	files := map[string]string{}
	pages, err := Pages(r)
	if err != nil {
		return nil, err
	}
	for path, content := range pages {
		files[filepath.Join("docs", path)] = content
	}
	scripts, err := Reproductions(r)
	if err != nil {
		return nil, err
	}
	for path, content := range scripts {
		files[filepath.Join(reproductionsDir, path)] = content
	}
	return files, nil
}

const (
	resultsFile      = "lab/conformance/results.json"
	reproductionsDir = "lab/conformance/reproductions"
)

// made are the files of earlier results.
func made(checkout string) ([]string, error) {
	var all []string
	for _, pattern := range []string{"docs/conformance/*.md", reproductionsDir + "/*.sh"} {
		found, err := filepath.Glob(filepath.Join(checkout, pattern))
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
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
		mode := os.FileMode(0o644)
		if filepath.Ext(path) == ".sh" {
			mode = 0o755
		}
		errs = append(errs, os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(content), mode))
	}
	errs = append(errs, r.Save(filepath.Join(checkout, resultsFile)))
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("write what was seen: %w", err)
	}
	return nil
}
