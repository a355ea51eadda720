package atomicfile_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slicewright/slicewright/internal/atomicfile"
)

func TestWrite(t *testing.T) {
	type file struct {
		Content string
		Mode    fs.FileMode
	}
	for _, test := range []struct {
		name   string
		before func(t *testing.T, path string)
		perm   fs.FileMode
		want   file
	}{
		{"makes a file with the permissions that are asked for", func(*testing.T, string) {}, 0o600, file{"new", 0o600}},
		{"keeps the permissions of a file", func(t *testing.T, path string) {
			write(t, path, "old")
			if err := os.Chmod(path, 0o640); err != nil {
				t.Fatal(err)
			}
		}, 0o600, file{"new", 0o640}},
		{"replaces a link, and not the file behind it", func(t *testing.T, path string) {
			behind := path + ".behind"
			write(t, behind, "old")
			if err := os.Symlink(behind, path); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				if got := read(t, behind); got != "old" {
					t.Errorf("the file behind the link has %q", got)
				}
			})
		}, 0o600, file{"new", 0o600}},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "file")
			test.before(t, path)
			if err := atomicfile.Write(path, []byte("new"), test.perm); err != nil {
				t.Fatal(err)
			}
			info, err := os.Lstat(path)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, file{read(t, path), info.Mode()}); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestAFailedWriteLeavesNothing(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "file")
	// A folder cannot be replaced by a file.
	if err := os.MkdirAll(filepath.Join(path, "inside"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := atomicfile.Write(path, []byte("new"), 0o600); err == nil {
		t.Error("a file took the place of a folder")
	}
	if diff := cmp.Diff([]string{"file"}, names(t, folder)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	err := atomicfile.Write(filepath.Join(folder, "missing", "file"), nil, 0o600)
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without a folder: error %v", err)
	}
}

// A reader meets one whole content at any moment.
func TestReadersNeverSeeAPart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	contents := []string{strings.Repeat("a", 100_000), strings.Repeat("b", 50_000)}
	write(t, path, contents[0])
	var writers sync.WaitGroup
	for _, content := range contents {
		writers.Go(func() {
			for range 20 {
				if err := atomicfile.Write(path, []byte(content), 0o600); err != nil {
					t.Error(err)
				}
			}
		})
	}
	done := make(chan struct{})
	go func() { writers.Wait(); close(done) }()
	for {
		if got := read(t, path); got != contents[0] && got != contents[1] {
			t.Fatalf("a part: %d bytes", len(got))
		}
		select {
		case <-done:
			if diff := cmp.Diff([]string{"file"}, names(t, filepath.Dir(path))); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			return
		default:
		}
	}
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func names(t *testing.T, folder string) []string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}
