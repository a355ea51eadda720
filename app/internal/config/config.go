// Package config is the configuration file of `slicewright run`: its types,
// defaults and validation. Every error names the line and the field.
package config

import (
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/slicewright/slicewright/app/internal/api"
	"github.com/slicewright/slicewright/endpointset"
)

// APIVersion and Kind are what a configuration file must say it is.
const (
	APIVersion = api.Version
	Kind       = "Config"
)

// Config is a configuration file. [Load] and [Parse] return it validated and
// with its defaults filled in.
type Config struct {
	APIVersion string `yaml:"apiVersion"`
	Kind       string `yaml:"kind"`
	// Namespaces to watch; empty is all, which needs cluster-wide permission.
	Namespaces []string    `yaml:"namespaces"`
	Accept     Accept      `yaml:"accept"`
	Location   Place       `yaml:"location"`
	State      State       `yaml:"state"`
	Publish    Publish     `yaml:"publish"`
	Leader     *Leader     `yaml:"leaderElection"`
	Upstreams  []*Upstream `yaml:"upstreams"`
}

// Accept restricts which slices and addresses are believed.
type Accept struct {
	Managers     []string `yaml:"managers"`
	CIDRs        []Prefix `yaml:"cidrs"`
	AddressTypes []string `yaml:"addressTypes"`
}

// Place is where this process runs.
type Place struct {
	Zone string `yaml:"zone"`
	Node string `yaml:"node"`
}

// State is where the last known good is kept; an empty Dir keeps nothing.
type State struct {
	Dir string `yaml:"dir"`
}

// Publish holds the pace of publishing. Zero values are the defaults of
// publish.Options.
type Publish struct {
	Window     Duration `yaml:"window"`
	MaxWindow  Duration `yaml:"maxWindow"`
	Reobserve  Duration `yaml:"reobserve"`
	MaxBackoff Duration `yaml:"maxBackoff"`
}

// Leader names the Lease by which one of several replicas is the writer.
type Leader struct {
	Namespace string `yaml:"namespace"`
	Name      string `yaml:"name"`
}

// Upstream is one port of one Service, published to one or more targets.
type Upstream struct {
	Name    string `yaml:"name"`
	Service string `yaml:"service"`
	// Port is the slices' port name, "" for the unnamed one.
	Port         string    `yaml:"port"`
	Protocol     string    `yaml:"protocol"`
	Policy       string    `yaml:"policy"`
	Topology     Topology  `yaml:"topology"`
	OnEmpty      string    `yaml:"onEmpty"`
	DrainTimeout Duration  `yaml:"drainTimeout"`
	Mode         string    `yaml:"mode"`
	To           []*Target `yaml:"to"`

	service endpointset.ServiceKey
}

// The values of Upstream.Mode and Upstream.OnEmpty; the first of each is the
// default.
const (
	ModePublish = "publish"
	ModeShadow  = "shadow"

	OnEmptyPublish = "publish"
	OnEmptyHold    = "hold"
)

// Topology restricts an upstream to what is near.
type Topology struct {
	// Use is none (the default), hints, zone or node.
	Use string `yaml:"use"`
	// Mode is prefer (the default) or require.
	Mode string `yaml:"mode"`
}

// Prefix is a network in a configuration file.
type Prefix struct{ netip.Prefix }

// UnmarshalYAML reads "10.0.0.0/8".
func (p *Prefix) UnmarshalYAML(n *yaml.Node) error {
	prefix, err := netip.ParsePrefix(n.Value)
	if err != nil {
		return &Error{Line: n.Line, Field: "cidrs", Problem: fmt.Sprintf("%q is no network: write it as 10.0.0.0/8", n.Value)}
	}
	p.Prefix = prefix.Masked()
	return nil
}

// Duration is a time span in a configuration file.
type Duration struct{ time.Duration }

// UnmarshalYAML reads "20ms".
func (d *Duration) UnmarshalYAML(n *yaml.Node) error {
	span, err := time.ParseDuration(n.Value)
	if err != nil || span < 0 {
		return &Error{Line: n.Line, Problem: fmt.Sprintf("%q is no time span: write it as 500ms, 30s or 5m", n.Value)}
	}
	d.Duration = span
	return nil
}

// Load reads a configuration file. Relative paths in it count from its folder.
func Load(path string) (*Config, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("configuration: %w", err)
	}
	c, err := Parse(data, filepath.Dir(path))
	if err != nil {
		return nil, fmt.Errorf("configuration %s: %w", path, err)
	}
	return c, nil
}
