package chart

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Bounds of one chart. The largest public ones have a tenth of it.
const (
	maxFiles = 4096
	maxBytes = 32 << 20
)

// metadataFile makes a directory a chart.
const metadataFile = "Chart.yaml"

// IsMetadata reports whether a file, given by its path, makes its directory a
// chart of its own: a chart inside another's charts directory is rendered with
// that one.
func IsMetadata(name string) bool {
	return path.Base(name) == metadataFile
}

// Roots are the directories of the charts that are rendered by themselves, of
// all directories that have a Chart.yaml.
func Roots(dirs []string) []string {
	all := make(map[string]bool, len(dirs))
	for _, d := range dirs {
		all[d] = true
	}
	var out []string
	for _, d := range dirs {
		if !partOf(d, all) {
			out = append(out, d)
		}
	}
	return out
}

// partOf reports whether a chart is another's sub-chart, at any depth.
func partOf(dir string, all map[string]bool) bool {
	for d := dir; d != "." && d != "/"; {
		parent := path.Dir(d)
		if path.Base(parent) == "charts" && all[path.Dir(parent)] {
			return true
		}
		d = parent
	}
	return false
}

// File is a file of a chart, its name relative to the chart's directory.
type File struct {
	Name string `json:"name"`
	Data []byte `json:"data"`
}

// chartTree is a chart as it is in a tree of files.
type chartTree struct {
	dir   string
	name  string // as Chart.yaml has it
	files []File
	// unread are files that are not in files, and why.
	unread []Problem
}

// load reads the files of the chart in dir. Links are not followed: what is
// rendered must be what is in the tree.
func load(ctx context.Context, fsys fs.FS, dir string) (*chartTree, error) {
	s := &chartTree{dir: dir}
	size := int64(0)
	err := fs.WalkDir(fsys, dir, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			s.unread = append(s.unread, Problem{name, "not read: " + plainError(err)})
			return nil
		case entry.IsDir():
			if entry.Name() == ".git" {
				return fs.SkipDir
			}
			return nil
		case !entry.Type().IsRegular():
			s.unread = append(s.unread, Problem{name, "is a link or no regular file: the chart was rendered without it"})
			return nil
		}
		data, err := readFile(fsys, name, maxBytes-size)
		switch {
		case errors.Is(err, errTooLarge) || len(s.files) == maxFiles:
			return fmt.Errorf("the chart has more than %d bytes or %d files", maxBytes, maxFiles)
		case err != nil:
			s.unread = append(s.unread, Problem{name, "not read: " + plainError(err)})
			return nil
		}
		size += int64(len(data))
		s.files = append(s.files, File{strings.TrimPrefix(strings.TrimPrefix(name, dir), "/"), data})
		return nil
	})
	if err != nil {
		return nil, err
	}
	var meta struct {
		Name string `yaml:"name"`
	}
	if err := yaml.Unmarshal(s.file(metadataFile), &meta); err != nil || meta.Name == "" {
		return nil, errors.New("its Chart.yaml names no chart")
	}
	s.name = meta.Name
	return s, nil
}

var errTooLarge = errors.New("larger than the limit")

func readFile(fsys fs.FS, name string, limit int64) ([]byte, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = errTooLarge
	}
	return data, err
}

// file is a file's content; nil if the chart has no file of that name.
func (s *chartTree) file(name string) []byte {
	for _, f := range s.files {
		if f.Name == name {
			return f.Data
		}
	}
	return nil
}
