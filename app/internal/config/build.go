package config

import (
	"time"

	"github.com/slicewright/slicewright/endpointset"
	"github.com/slicewright/slicewright/publish"
)

const topologyNone = "none"

// Index returns what may be believed.
func (c *Config) Index() endpointset.Options {
	options := endpointset.Options{Managers: c.Accept.Managers}
	for _, p := range c.Accept.CIDRs {
		options.CIDRs = append(options.CIDRs, p.Prefix)
	}
	for _, name := range c.Accept.AddressTypes {
		family := endpointset.IPv4
		if name == "IPv6" {
			family = endpointset.IPv6
		}
		options.Families = append(options.Families, family)
	}
	return options
}

// Upstream returns an upstream of c as publish takes it.
func (u *Upstream) Upstream(c *Config) publish.Upstream {
	return publish.Upstream{
		Name:         u.Name,
		Service:      u.service,
		Port:         u.Port,
		Protocol:     u.Protocol,
		Policy:       endpointset.Policy(u.Policy),
		Location:     u.location(c),
		HoldEmpty:    u.OnEmpty == OnEmptyHold,
		DrainTimeout: u.DrainTimeout.Duration,
	}
}

func (u *Upstream) location(c *Config) endpointset.Location {
	l := endpointset.Location{Zone: c.Location.Zone, Node: c.Location.Node, Mode: endpointset.Mode(u.Topology.Mode)}
	if u.Topology.Use != topologyNone {
		l.Topology = endpointset.Topology(u.Topology.Use)
	}
	return l
}

// Options returns the pace of publishing to a target.
func (c *Config) Options(t *Target) publish.Options {
	options := publish.Options{
		Window:     c.Publish.Window.Duration,
		MaxWindow:  c.Publish.MaxWindow.Duration,
		Reobserve:  c.Publish.Reobserve.Duration,
		MaxBackoff: c.Publish.MaxBackoff.Duration,
	}
	if t.Template != nil {
		// A driver runs up to three commands in one call: the check, the reload,
		// and the reload of the last good content.
		const command = 10 * time.Second
		options.CallTimeout = 30*time.Second + 3*max(command, t.Template.CommandTimeout.Duration)
	}
	return options
}
