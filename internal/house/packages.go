package house

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// project is the prefix of the paths of all three modules.
const project = "github.com/slicewright/slicewright"

// Package is a package as go list describes it.
type Package struct {
	ImportPath, Dir  string
	Standard         bool
	GoFiles, Imports []string
}

// List returns what go list prints for these arguments in a folder, as on Linux
// without cgo, so that the result is the same on every machine.
func List(t *testing.T, dir string, arguments ...string) []Package {
	t.Helper()
	cmd := exec.Command("go", append([]string{"list", "-json=ImportPath,Dir,Standard,GoFiles,Imports"}, arguments...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var all []Package
	for decoder := json.NewDecoder(out); ; {
		var p Package
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatalf("go list: %v\n%s", err, stderr.String())
	}
	return all
}

// read returns the text of a file of the package.
func (p Package) read(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(p.Dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// within reports whether path is the package or below it.
func within(path, of string) bool { return path == of || strings.HasPrefix(path, of+"/") }
