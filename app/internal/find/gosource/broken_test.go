package gosource

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestBrokenSourceNeverFellsTheScan cuts every file of the corpus at several
// places, takes lines out, and scans all of it at once: types are then wrong in
// ways that no compiler would let through.
func TestBrokenSourceNeverFellsTheScan(t *testing.T) {
	root := t.TempDir()
	n := 0
	err := filepath.WalkDir(filepath.Join(stubSource, "corpus"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		lines := bytes.Split(data, []byte("\n"))
		for i := 1; i < 6; i++ {
			cut := lines[:len(lines)*i/6]
			thinned := append(append([][]byte{}, lines[:len(lines)*i/6]...), lines[min(len(lines), len(lines)*i/6+1):]...)
			for _, variant := range [][][]byte{cut, thinned} {
				n++
				writeFile(t, filepath.Join(root, fmt.Sprintf("v%d", n), "x.go"), string(bytes.Join(variant, []byte("\n"))))
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	findings, coverage := Scan(context.Background(), root, Options{})
	if len(findings) == 0 {
		t.Error("nothing is found in files that are mostly whole")
	}
	if strings.Contains(messages(coverage), "gave up") {
		t.Errorf("of %d broken files: %s", n, messages(coverage))
	}
}

// TestBinaryAndHugeFilesAreNoSource: what only looks like Go by its name.
func TestBinaryAndHugeFilesAreNoSource(t *testing.T) {
	root := project(t, "-- go.mod --\nSTUBS x\n"+readerAt("x.go"))
	writeFile(t, filepath.Join(root, "other", "binary.go"), "\x00\x01endpoints\xff\xfe")
	huge, err := os.Create(filepath.Join(root, "other", "huge.go"))
	if err != nil {
		t.Fatal(err)
	}
	if err := huge.Truncate(maxFile + 1); err != nil {
		t.Fatal(err)
	}
	huge.Close()
	findings, coverage := Scan(context.Background(), root, Options{})
	if len(findings) != 1 {
		t.Errorf("findings %v", locators(findings))
	}
	for _, want := range []string{"other/huge.go: cannot be read: is larger than 16 MiB", "other/binary.go: does not parse"} {
		if !strings.Contains(messages(coverage), want) {
			t.Errorf("problems %q say nothing of %q", messages(coverage), want)
		}
	}
	if coverage.Skipped != 1 {
		t.Errorf("skipped %d", coverage.Skipped)
	}
}
