package live

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/slicewright/slicewright/app/internal/find/audit"
)

// position is how far a log was read. The file is known again by its beginning,
// which stays the same when it is renamed, copied or moved to another disk.
type position struct {
	Offset int64  `json:"offset"`
	Head   string `json:"head,omitempty"` // hexadecimal SHA-256 of the first HeadLen bytes
	Len    int    `json:"headLen,omitempty"`
}

// headLen is enough to tell two logs apart: the first event's audit ID and time
// are in it.
const headLen = 1024

// Follower reads a log file that grows, and goes on behind a rotation: by
// renaming (the API server's own), and by truncating in place.
type Follower struct {
	Path     string
	Recorder *Recorder
	Log      *slog.Logger
	// Interval between looks at the file; 0 is one second. The file is looked at
	// and not watched: notifications are not sent on network file systems, and a
	// second is soon enough for a registry.
	Interval time.Duration
	// MaxLine is the longest line that is read; 0 is 8 MiB.
	MaxLine int

	file    *os.File
	at      position
	decoder audit.Decoder
	missing bool // the file was not there at the last look
}

// Run follows the file until ctx ends, and returns nil then. A file that is
// missing is waited for.
func (f *Follower) Run(ctx context.Context) error {
	if f.Interval <= 0 {
		f.Interval = time.Second
	}
	if f.MaxLine <= 0 {
		f.MaxLine = 8 << 20
	}
	defer f.close()
	f.resume(ctx)
	tick := time.NewTicker(f.Interval)
	defer tick.Stop()
	for {
		f.look(ctx)
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// resume finds the place at which an earlier process stopped. If the file was
// rotated since, the rest of the old one and those between are read first.
func (f *Follower) resume(ctx context.Context) {
	was := f.Recorder.followed()
	if was.Head == "" {
		return
	}
	if matches(f.Path, was) {
		f.open(was)
		return
	}
	name := f.find(was)
	if name == "" {
		f.Recorder.problem(f.Path, "the log was rotated while nothing followed it, and the file that was being read is gone: events are missing")
		return
	}
	f.rest(ctx, name, was)
}

// find looks for the rotated file that was being read.
func (f *Follower) find(was position) string {
	for _, name := range f.siblings() {
		if matches(name, was) {
			return name
		}
	}
	return ""
}

// siblings are the other files of the log, the oldest first.
func (f *Follower) siblings() []string {
	dir := filepath.Dir(f.Path)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	base := filepath.Base(f.Path)
	stem := base[:len(base)-len(filepath.Ext(base))]
	type sibling struct {
		name string
		at   time.Time
	}
	var found []sibling
	for _, e := range entries {
		if e.Name() == base || !e.Type().IsRegular() || len(e.Name()) < len(stem) || e.Name()[:len(stem)] != stem {
			continue
		}
		if info, err := e.Info(); err == nil {
			found = append(found, sibling{filepath.Join(dir, e.Name()), info.ModTime()})
		}
	}
	slices.SortFunc(found, func(a, b sibling) int { return a.at.Compare(b.at) })
	out := make([]string, len(found))
	for i, s := range found {
		out[i] = s.name
	}
	return out
}

// rest reads an old file from where it was left, then the files that were
// rotated after it, so that the current one is next.
func (f *Follower) rest(ctx context.Context, name string, from position) {
	all := f.siblings()
	at := slices.Index(all, name)
	if at < 0 {
		return
	}
	for i, sibling := range all[at:] {
		if i > 0 {
			from = position{}
		}
		if file, err := os.Open(sibling); err == nil {
			f.close()
			f.file, f.at = file, from
			f.drain(ctx)
			f.finishLine()
		} else {
			f.Recorder.problem(sibling, "rotated, and cannot be read: "+err.Error())
		}
	}
	f.close()
}

// look reads what has come, and goes over to a new file if there is one.
func (f *Follower) look(ctx context.Context) {
	if f.file == nil && !f.open(position{}) {
		return
	}
	f.drain(ctx)
	info, err := os.Stat(f.Path)
	if err != nil {
		return // between the two steps of a rotation
	}
	own, err := f.file.Stat()
	if err != nil {
		f.close()
		return
	}
	switch {
	case !os.SameFile(info, own):
		f.drain(ctx) // what was written until the rename
		f.finishLine()
		// More than one rotation since the last look leaves files between.
		if was := f.at; was.Head != "" {
			if name := f.find(was); name != "" {
				f.rest(ctx, name, was)
			}
		}
		f.close()
		f.open(position{})
		f.drain(ctx)
	case info.Size() < f.at.Offset:
		f.Recorder.problem(f.Path, "the log was truncated: events written since the last look may be missing")
		f.at = position{}
		f.Recorder.advance(nil, 0, f.at)
		f.drain(ctx)
	}
}

func (f *Follower) open(at position) bool {
	file, err := os.Open(f.Path)
	if err != nil {
		if !f.missing {
			f.Log.Warn("waiting for the audit log", "path", f.Path, "error", err)
		}
		f.missing = true
		return false
	}
	f.missing = false
	f.file, f.at = file, at
	return true
}

func (f *Follower) close() {
	if f.file != nil {
		f.file.Close()
		f.file = nil
	}
}

// drain reads whole lines to the end of the file. A line without its end is left
// for the next look.
func (f *Follower) drain(ctx context.Context) {
	buf := make([]byte, 0, 256<<10)
	for ctx.Err() == nil {
		if len(buf) == cap(buf) {
			if cap(buf) > f.MaxLine {
				f.skipLine(ctx)
				buf = buf[:0]
				continue
			}
			buf = append(make([]byte, 0, 2*cap(buf)), buf...)
		}
		n, err := f.file.ReadAt(buf[len(buf):cap(buf)], f.at.Offset+int64(len(buf)))
		buf = buf[:len(buf)+n]
		end := bytes.LastIndexByte(buf, '\n') + 1
		if end > 0 {
			f.lines(buf[:end])
			buf = append(buf[:0], buf[end:]...)
		}
		if err != nil || n == 0 {
			if err != nil && err != io.EOF {
				f.Recorder.problem(f.Path, "cannot be read: "+err.Error())
			}
			return
		}
	}
}

// lines counts whole lines and moves the position behind them.
func (f *Follower) lines(b []byte) {
	var events []audit.Event
	read := 0
	for line := range bytes.Lines(b) {
		read++
		if !audit.Relevant(line) {
			continue
		}
		var ok bool
		if events, ok = f.decoder.Line(events, line); !ok {
			f.Recorder.problem(f.Path, "a line is cut or no valid JSON")
		}
	}
	f.move(int64(len(b)))
	f.Recorder.advance(events, read, f.at)
}

// move moves the position by n bytes. What the file begins with is taken when
// its first line is.
func (f *Follower) move(n int64) {
	if f.at.Offset == 0 {
		head := make([]byte, headLen)
		have, _ := f.file.ReadAt(head, 0)
		sum := sha256.Sum256(head[:have])
		f.at.Head, f.at.Len = hex.EncodeToString(sum[:]), have
	}
	f.at.Offset += n
}

// skipLine passes over a line that is too long.
func (f *Follower) skipLine(ctx context.Context) {
	f.Recorder.problem(f.Path, fmt.Sprintf("a line is longer than %d bytes and was passed over", f.MaxLine))
	buf := make([]byte, 256<<10)
	for at := f.at.Offset; ctx.Err() == nil; {
		n, err := f.file.ReadAt(buf, at)
		if i := bytes.IndexByte(buf[:n], '\n'); i >= 0 {
			f.move(at + int64(i) + 1 - f.at.Offset)
			f.Recorder.advance(nil, 1, f.at)
			return
		}
		at += int64(n)
		if err != nil || n == 0 {
			// Its end is not there yet: the position stays behind what was read, in
			// the middle of the line, whose rest is then reported as cut.
			f.move(at - f.at.Offset)
			f.Recorder.advance(nil, 0, f.at)
			return
		}
	}
}

// finishLine counts the last line of a file that will not grow any more.
func (f *Follower) finishLine() {
	rest := make([]byte, f.MaxLine)
	n, _ := f.file.ReadAt(rest, f.at.Offset)
	if n > 0 {
		f.lines(rest[:n])
	}
}

// matches says whether a file begins like the one of a position and is at least
// as long as what was read of it.
func matches(name string, p position) bool {
	file, err := os.Open(name)
	if err != nil {
		return false
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil || info.Size() < p.Offset || p.Len <= 0 || p.Len > headLen {
		return false
	}
	head := make([]byte, p.Len)
	if _, err := io.ReadFull(file, head); err != nil {
		return false
	}
	sum := sha256.Sum256(head)
	return hex.EncodeToString(sum[:]) == p.Head
}
