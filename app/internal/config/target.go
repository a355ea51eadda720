package config

import (
	"errors"
	"strings"

	"github.com/slicewright/slicewright/driver/haproxy"
	"github.com/slicewright/slicewright/driver/template"
	"github.com/slicewright/slicewright/publish"
)

// Target is one place that an upstream is published to: just one of the fields
// is set.
type Target struct {
	HAProxy  *HAProxy  `yaml:"haproxy"`
	Template *Template `yaml:"template"`
}

// HAProxy is a backend of a running HAProxy.
type HAProxy struct {
	Socket          string   `yaml:"socket"`
	Backend         string   `yaml:"backend"`
	Mode            string   `yaml:"mode"`
	SlotPrefix      string   `yaml:"slotPrefix"`
	Server          Server   `yaml:"server"`
	ServersFile     string   `yaml:"serversFile"`
	ServersDefaults string   `yaml:"serversDefaults"`
	Timeout         Duration `yaml:"timeout"`
}

// Server holds the options that each server is added with.
type Server struct {
	Weight      int      `yaml:"weight"`
	MaxConn     int      `yaml:"maxConn"`
	PoolMaxConn int      `yaml:"poolMaxConn"`
	Check       bool     `yaml:"check"`
	Interval    Duration `yaml:"interval"`
	Rise        int      `yaml:"rise"`
	Fall        int      `yaml:"fall"`
	Proto       string   `yaml:"proto"`
	SendProxy   string   `yaml:"sendProxy"`
	SSL         bool     `yaml:"ssl"`
	Verify      string   `yaml:"verify"`
	CAFile      string   `yaml:"caFile"`
	SNI         string   `yaml:"sni"`
}

// Template is a file that is rendered.
type Template struct {
	Source         string   `yaml:"source"`
	Destination    string   `yaml:"destination"`
	Check          []string `yaml:"check"`
	Reload         []string `yaml:"reload"`
	MinInterval    Duration `yaml:"minInterval"`
	CommandTimeout Duration `yaml:"commandTimeout"`
}

// kind returns the name of the one field that is set.
func (t *Target) kind() (string, error) {
	var set []string
	if t.HAProxy != nil {
		set = append(set, "haproxy")
	}
	if t.Template != nil {
		set = append(set, "template")
	}
	switch len(set) {
	case 0:
		return "", errors.New("names no target: use haproxy or template")
	case 1:
		return set[0], nil
	}
	return "", errors.New("names " + strings.Join(set, " and ") + " at once: make it two entries")
}

// Driver returns the target's driver, or what is wrong with its settings.
func (t *Target) Driver() (publish.Driver, error) {
	if h := t.HAProxy; h != nil {
		return haproxy.New(haproxy.Config{
			Socket:          h.Socket,
			Backend:         h.Backend,
			Mode:            haproxy.Mode(h.Mode),
			SlotPrefix:      h.SlotPrefix,
			Server:          h.Server.options(),
			ServersFile:     h.ServersFile,
			ServersDefaults: h.ServersDefaults,
			Timeout:         h.Timeout.Duration,
		})
	}
	return template.New(template.Config{
		Source:         t.Template.Source,
		Destination:    t.Template.Destination,
		Check:          t.Template.Check,
		Reload:         t.Template.Reload,
		MinInterval:    t.Template.MinInterval.Duration,
		CommandTimeout: t.Template.CommandTimeout.Duration,
	})
}

func (s *Server) options() haproxy.Options {
	return haproxy.Options{
		Weight: s.Weight, MaxConn: s.MaxConn, PoolMaxConn: s.PoolMaxConn,
		Check: s.Check, Interval: s.Interval.Duration, Rise: s.Rise, Fall: s.Fall,
		Proto: s.Proto, SendProxy: s.SendProxy,
		SSL: s.SSL, Verify: s.Verify, CAFile: s.CAFile, SNI: s.SNI,
	}
}

func validUpstreamName(name string) bool { return template.ValidName(name) }
