package publish

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/slicewright/slicewright/endpointset"
	"github.com/slicewright/slicewright/internal/atomicfile"
)

// A Record is what was last applied to a target and read back: the last known
// good.
type Record struct {
	Upstream   string                `json:"upstream"`
	Target     string                `json:"target"`
	Generation uint64                `json:"generation"`
	Hash       string                `json:"hash"`
	Time       time.Time             `json:"time"`
	Active     []endpointset.Backend `json:"active"`
	Draining   []endpointset.Backend `json:"draining"`
}

// A Store keeps records in a folder, a file each. The zero value keeps nothing.
// A Store may be used from any goroutine, for different targets.
type Store struct{ dir string }

// NewStore returns a store in a folder, which it makes if need be.
func NewStore(dir string) (Store, error) {
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return Store{}, fmt.Errorf("state folder: %w", err)
	}
	return Store{dir}, nil
}

const (
	recordAPIVersion = "slicewright.dev/v1alpha1"
	recordKind       = "LastKnownGood"
)

type recordFile struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Record
}

// Save replaces the target's record. After a crash there is the old record or the
// new one.
func (s Store) Save(r Record) error {
	if s.dir == "" {
		return nil
	}
	data, err := json.Marshal(recordFile{recordAPIVersion, recordKind, r})
	if err != nil {
		return fmt.Errorf("encode the last known good of %s: %w", r.Target, err)
	}
	path := s.path(r.Target)
	if err := atomicfile.Write(path, data, 0o640); err != nil {
		return fmt.Errorf("keep the last known good of %s: %w", r.Target, err)
	}
	return nil
}

// Load returns the target's record. found is false when there is none; a file
// that cannot be read or is of another version is an error that names it.
func (s Store) Load(target string) (r Record, found bool, err error) {
	if s.dir == "" {
		return Record{}, false, nil
	}
	path := s.path(target)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Record{}, false, nil
	}
	if err != nil {
		return Record{}, false, fmt.Errorf("read the last known good: %w", err)
	}
	var file recordFile
	if err := json.Unmarshal(data, &file); err != nil {
		return Record{}, false, fmt.Errorf("read the last known good %s: %w: remove the file to start without it", path, err)
	}
	if file.APIVersion != recordAPIVersion || file.Kind != recordKind || file.Target != target {
		return Record{}, false, fmt.Errorf("read the last known good %s: it is %s %s of %q, not %s %s of %q: remove the file to start without it",
			path, file.APIVersion, file.Kind, file.Target, recordAPIVersion, recordKind, target)
	}
	return file.Record, true, nil
}

// path is the file of a target: readable, and different for every target.
func (s Store) path(target string) string {
	var b strings.Builder
	for _, c := range []byte(target) {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-', c == '.':
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "_%02x", c)
		}
	}
	name := b.String()
	if len(name) > 200 { // file names end at 255 bytes
		name = fmt.Sprintf("%s_%016x", name[:180], hashOf(target))
	}
	return filepath.Join(s.dir, name+".json")
}
