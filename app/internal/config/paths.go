package config

import (
	"fmt"
	"path/filepath"
	"strings"
)

// resolve makes the paths in the configuration absolute, so that it means the
// same wherever the program is started. Commands are left as they are: a
// program without a slash is looked for in PATH.
func (c *Config) resolve(dir string) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return fmt.Errorf("find the configuration's folder: %w", err)
	}
	from := func(path *string) {
		if *path != "" && !filepath.IsAbs(*path) {
			*path = filepath.Join(dir, *path)
		}
	}
	from(&c.State.Dir)
	for _, u := range c.Upstreams {
		if u == nil {
			continue
		}
		for _, t := range u.To {
			t.resolve(from)
		}
	}
	return nil
}

func (t *Target) resolve(from func(*string)) {
	if t == nil {
		return
	}
	if h := t.HAProxy; h != nil {
		if !strings.Contains(h.Socket, ":") { // else it is host:port
			from(&h.Socket)
		}
		from(&h.ServersFile)
	}
	if tm := t.Template; tm != nil {
		if !strings.HasPrefix(tm.Source, "builtin:") {
			from(&tm.Source)
		}
		from(&tm.Destination)
	}
}
