package haproxy

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/slicewright/slicewright/internal/atomicfile"
)

// maxServersFile bounds what is read of a servers file, which the driver itself
// wrote: 200,000 servers fit.
const maxServersFile = 64 << 20

// A serversFile is a section of HAProxy's configuration with the servers that
// are to be there after a restart.
type serversFile struct {
	path    string
	content []byte
	servers int
}

// renderServersFile writes the whole section of the backend: HAProxy refuses a
// second section of the same name, and a file that starts inside one.
// Draining servers are not in it, since a restart ends their connections.
func (d *Driver) renderServersFile(active []place) *serversFile {
	b := fmt.Appendf(nil, "# Written by slicewright: changes made here are overwritten.\nbackend %s", d.config.Backend)
	if d.config.ServersDefaults != "" {
		b = fmt.Appendf(b, " from %s", d.config.ServersDefaults)
	}
	b = append(b, '\n')
	for _, p := range active {
		b = fmt.Appendf(b, "    server %s %s%s\n", p.name, p.addr, d.options)
	}
	return &serversFile{path: d.config.ServersFile, content: b, servers: len(active)}
}

// write replaces the file in one step: a HAProxy that starts at any moment reads
// the old or the new content.
func (f *serversFile) write() error {
	if err := atomicfile.Write(f.path, f.content, 0o644); err != nil {
		return fmt.Errorf("write the servers file %s: %w", f.path, err)
	}
	return nil
}

// readServersFile returns the content of the file, nil if there is no file.
func readServersFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the servers file: %w", err)
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, maxServersFile))
	if err != nil {
		return nil, fmt.Errorf("read the servers file %s: %w", path, err)
	}
	if content == nil {
		content = []byte{}
	}
	return content, nil
}
