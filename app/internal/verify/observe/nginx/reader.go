package nginx

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

const (
	// maxDepth bounds blocks inside blocks and files inside files.
	maxDepth = 50
	// maxFiles and maxBytes bound all files of a configuration together.
	maxFiles = 10_000
	maxBytes = 64 << 20
)

// A reader walks through a configuration and collects the upstreams of one name.
type reader struct {
	upstream string

	folder string   // of the first file: relative names count from it
	open   []string // the files that are being read, each included by the one before
	files  int
	bytes  int
	found  []*upstream
}

// read reads a configuration from its main file on.
func (r *reader) read(ctx context.Context, file string) error {
	path, err := filepath.Abs(file)
	if err != nil {
		return err
	}
	r.folder = filepath.Dir(path)
	return r.file(ctx, path, nil, nil)
}

// file reads one file, in the blocks that include it. Statements go to into, if it
// is not nil.
func (r *reader) file(ctx context.Context, path string, blocks []string, into *upstream) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case slices.Contains(r.open, path):
		return fmt.Errorf("%s includes itself, by way of %s", path, r.open[len(r.open)-1])
	case len(r.open) == maxDepth:
		return fmt.Errorf("%s: more than %d files are included by one another", path, maxDepth)
	case r.files == maxFiles:
		return fmt.Errorf("%s: more than %d files", path, maxFiles)
	}
	text, err := readFile(path, maxBytes-r.bytes)
	if err != nil {
		return err
	}
	r.files++
	r.bytes += len(text)
	r.open = append(r.open, path)
	defer func() { r.open = r.open[:len(r.open)-1] }()
	l := &lexer{text: text, place: place{file: path, line: 1}}
	return r.statements(ctx, l, blocks, into, false)
}

// statements reads up to the end of the file, or of a block inside it.
func (r *reader) statements(ctx context.Context, l *lexer, blocks []string, into *upstream, inside bool) error {
	for {
		s, err := l.next()
		if err != nil {
			return err
		}
		switch s.end {
		case 0:
			if inside {
				return l.errorf("the file ends inside the block %q", blocks[len(blocks)-1])
			}
			return nil
		case '}':
			if !inside {
				return l.errorf("unexpected '}'")
			}
			return nil
		case '{':
			err = r.enter(ctx, l, s, blocks, into)
		default:
			err = r.directive(ctx, s, blocks, into)
		}
		if err != nil {
			return err
		}
	}
}

// enter reads the block that s begins.
func (r *reader) enter(ctx context.Context, l *lexer, s statement, blocks []string, into *upstream) error {
	switch {
	case strings.HasSuffix(s.words[0], "_by_lua_block"):
		return fmt.Errorf("%s: %w", s.place, errLua)
	case into != nil:
		return fmt.Errorf("%s: a block inside an upstream", s.place)
	case len(blocks) == maxDepth:
		return fmt.Errorf("%s: more than %d blocks inside one another", s.place, maxDepth)
	}
	if r.isOurs(s, blocks) {
		into = &upstream{place: s.place, stream: slices.Equal(blocks, []string{"stream"})}
		r.found = append(r.found, into)
	}
	// A full slice, so that siblings do not share what append writes.
	return r.statements(ctx, l, append(blocks[:len(blocks):len(blocks)], s.words[0]), into, true)
}

// isOurs reports whether s begins the upstream that is looked for. nginx does not
// tell capitals from small letters in its name.
func (r *reader) isOurs(s statement, blocks []string) bool {
	if s.words[0] != "upstream" || len(s.words) != 2 || !strings.EqualFold(s.words[1], r.upstream) {
		return false
	}
	return len(blocks) == 0 || len(blocks) == 1 && (blocks[0] == "http" || blocks[0] == "stream")
}

// directive takes a simple directive, and follows an include.
func (r *reader) directive(ctx context.Context, s statement, blocks []string, into *upstream) error {
	if s.words[0] != "include" {
		if into != nil {
			into.statements = append(into.statements, s)
		}
		return nil
	}
	if len(s.words) != 2 {
		return fmt.Errorf("%s: include wants one file or pattern", s.place)
	}
	paths, err := r.included(s.words[1])
	if err != nil {
		return fmt.Errorf("%s: include %.200q: %w", s.place, s.words[1], err)
	}
	for _, path := range paths {
		if err := r.file(ctx, path, blocks, into); err != nil {
			return err
		}
	}
	return nil
}

// included returns the files that an include names: one that must be there, or
// those that fit a pattern, in the order of their names.
func (r *reader) included(name string) ([]string, error) {
	path := name
	if !filepath.IsAbs(path) {
		path = filepath.Join(r.folder, path)
	}
	if !strings.ContainsAny(name, "*?[") {
		return []string{filepath.Clean(path)}, nil
	}
	pattern, err := likeGlob3(path)
	if err != nil {
		return nil, err
	}
	matches, err := filepath.Glob(pattern)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(matches, func(match string) bool { return hidden(path, match) }), nil
}

// readFile reads a regular file of at most limit bytes: a FIFO would hold the
// look for ever.
func readFile(path string, limit int) (string, error) {
	if info, err := os.Stat(path); err != nil {
		return "", err
	} else if !info.Mode().IsRegular() {
		return "", fmt.Errorf("%s is not a regular file", path)
	}
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, int64(limit)+1))
	if err != nil {
		return "", err
	}
	if len(text) > limit {
		return "", errors.New(path + ": the configuration is longer than 64 MB")
	}
	return string(text), nil
}
