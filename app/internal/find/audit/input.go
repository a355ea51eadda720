package audit

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// headSize is how much of an input is looked at to see what it is.
const headSize = 64 << 10

// input is one file to read, or "-".
type input struct {
	name  string
	first time.Time // of its first event
	mark  [sha256.Size]byte
	size  int64
}

// inputs lists the files of all paths in the order of their first events, since
// a rotated log sorts by its name in any order. Files that are there twice are
// read once.
func (s *scanner) inputs(paths []string) []input {
	var out []input
	for _, path := range paths {
		if path == "-" {
			out = append(out, input{name: path})
			continue
		}
		// The root may be a link; below it links to directories are not followed,
		// so that a loop of links ends.
		root, err := filepath.EvalSymlinks(path)
		if err != nil {
			s.coverage.Skipped++
			s.coverage.Problem(path, "cannot be read: "+err.Error())
			continue
		}
		if info, err := os.Stat(root); err == nil && !info.IsDir() {
			out = s.addInput(out, path)
			continue
		}
		_ = filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
			if err != nil {
				s.coverage.Skipped++
				s.coverage.Problem(name, "cannot be read: "+err.Error())
				return nil
			}
			if entry.IsDir() {
				return nil
			}
			if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
				out = s.addInput(out, name)
			}
			return nil
		})
	}
	slices.SortStableFunc(out, func(a, b input) int { return a.first.Compare(b.first) })
	return out
}

func (s *scanner) addInput(list []input, name string) []input {
	in := input{name: name}
	f, err := os.Open(name)
	if err != nil {
		s.coverage.Skipped++
		s.coverage.Problem(name, "cannot be read: "+err.Error())
		return list
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return append(list, in) // a pipe: reading its head would take it away
	}
	in.size = info.Size()
	head := make([]byte, headSize)
	n, _ := io.ReadFull(f, head)
	head = head[:n]
	in.mark = sha256.Sum256(head)
	for _, other := range list {
		if n > 0 && other.mark == in.mark && other.size == in.size {
			s.coverage.Notes = append(s.coverage.Notes, fmt.Sprintf("%s is the same log as %s and was read once.", name, other.name))
			return list
		}
	}
	in.first = firstTime(plain(head))
	return append(list, in)
}

// plain decompresses a head if it is gzip; what it gives may end early.
func plain(head []byte) []byte {
	if !gzipped(head) {
		return head
	}
	z, err := gzip.NewReader(bytes.NewReader(head))
	if err != nil {
		return nil
	}
	out, _ := io.ReadAll(io.LimitReader(z, headSize))
	return out
}

func gzipped(head []byte) bool { return bytes.HasPrefix(head, []byte{0x1f, 0x8b}) }

type format uint8

const (
	formatLines format = iota
	formatDocument
	formatBinary
)

// detect tells a log of lines from JSON documents that span lines or hold many
// events in one. A line that is a document of its own is read either way; as a
// document it needs no memory for the whole of it.
func detect(head []byte) format {
	if bytes.IndexByte(head, 0) >= 0 {
		return formatBinary
	}
	text := bytes.TrimLeft(head, " \t\r\n\ufeff")
	// Other log lines, or the rest of a cut one, may come before the first event.
	for len(text) > 0 && text[0] != '{' && text[0] != '[' {
		_, text, _ = bytes.Cut(text, []byte("\n"))
		text = bytes.TrimLeft(text, " \t\r\n")
	}
	if len(text) == 0 {
		return formatLines
	}
	if text[0] == '[' {
		return formatDocument
	}
	line, _, ended := bytes.Cut(text, []byte("\n"))
	line = bytes.TrimRight(line, " \r\t")
	c := cursor{b: line}
	whole := c.skip() && c.i == len(c.b)
	if ended && !whole {
		// The first line of a pretty-printed document ends behind a bracket or
		// a comma; that of a log whose first line was cut ends anywhere.
		if last := line[len(line)-1]; last == '{' || last == '[' || last == ',' {
			return formatDocument
		}
	}
	if holdsRecords(line) {
		return formatDocument
	}
	return formatLines
}

// holdsRecords says whether an object, of which the end may be missing, has a
// field that is a list of objects or of lists.
func holdsRecords(b []byte) bool {
	c := cursor{b: b}
	found := false
	c.object(func([]byte) bool {
		if c.peek() == '[' {
			inner := cursor{b: c.b, i: c.i + 1}
			if first := inner.peek(); first == '{' || first == '[' {
				found = true
				return false
			}
		}
		return c.skip()
	})
	return found
}
