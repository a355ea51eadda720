package config

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/slicewright/slicewright/app/internal/yamlnode"
	"github.com/slicewright/slicewright/endpointset"
)

// A validator gathers everything that is wrong, each with its line.
type validator struct {
	root *yaml.Node
	errs []error
}

// wrong notes a problem with the field at the path.
func (v *validator) wrong(path []any, format string, args ...any) {
	v.errs = append(v.errs, &Error{
		Line:    yamlnode.Nearest(v.root, path...).Line,
		Field:   fieldName(path),
		Problem: fmt.Sprintf(format, args...),
	})
}

func fieldName(path []any) string {
	var b strings.Builder
	for _, step := range path {
		switch step := step.(type) {
		case int:
			fmt.Fprintf(&b, "[%d]", step)
		default:
			if b.Len() > 0 {
				b.WriteByte('.')
			}
			fmt.Fprint(&b, step)
		}
	}
	return b.String()
}

func (v *validator) config(c *Config) {
	if c.APIVersion != APIVersion {
		v.wrong([]any{"apiVersion"}, "is %q: this program reads %s", c.APIVersion, APIVersion)
	}
	if c.Kind != Kind {
		v.wrong([]any{"kind"}, "is %q: it must be %s", c.Kind, Kind)
	}
	for i, namespace := range c.Namespaces {
		if problems := validation.IsDNS1123Label(namespace); len(problems) > 0 {
			v.wrong([]any{"namespaces", i}, "%q is no namespace: %s", namespace, problems[0])
		}
	}
	for i, family := range c.Accept.AddressTypes {
		if family != "IPv4" && family != "IPv6" {
			v.wrong([]any{"accept", "addressTypes", i}, "%q is not one of IPv4, IPv6", family)
		}
	}
	if c.Leader != nil && (c.Leader.Namespace == "" || c.Leader.Name == "") {
		v.wrong([]any{"leaderElection"}, "needs the namespace and the name of a Lease")
	}
	if len(c.Upstreams) == 0 {
		v.wrong([]any{"upstreams"}, "the list is empty: nothing would be published")
	}
	names := map[string]bool{}
	targets := map[string]string{}
	for i, u := range c.Upstreams {
		path := []any{"upstreams", i}
		if u == nil {
			v.wrong(path, "is empty")
			continue
		}
		v.upstream(c, u, path)
		if names[u.Name] {
			v.wrong(append(path, "name"), "%q is used twice", u.Name)
		}
		names[u.Name] = true
		for j, t := range u.To {
			v.target(u, t, append(slices.Clone(path), "to", j), targets)
		}
	}
}

func (v *validator) upstream(c *Config, u *Upstream, path []any) {
	at := func(field ...any) []any { return append(slices.Clone(path), field...) }
	if !validUpstreamName(u.Name) {
		v.wrong(at("name"), "%q is no name: use letters, digits and ._-", u.Name)
	}
	namespace, name, ok := strings.Cut(u.Service, "/")
	if !ok || namespace == "" || name == "" || strings.Contains(name, "/") {
		v.wrong(at("service"), "%q is not NAMESPACE/NAME", u.Service)
	} else if len(c.Namespaces) > 0 && !slices.Contains(c.Namespaces, namespace) {
		v.wrong(at("service"), "%q is in a namespace that is not watched: add %q to namespaces", u.Service, namespace)
	}
	u.service = endpointset.ServiceKey{Namespace: namespace, Name: name}

	if u.Protocol == "" {
		u.Protocol = "TCP"
	}
	if !slices.Contains([]string{"TCP", "UDP", "SCTP"}, u.Protocol) {
		v.wrong(at("protocol"), "%q is not one of TCP, UDP, SCTP", u.Protocol)
	}
	if policy, err := endpointset.ParsePolicy(u.Policy); err != nil {
		v.wrong(at("policy"), "%v", err)
	} else {
		u.Policy = string(policy)
	}
	v.oneOf(at("onEmpty"), &u.OnEmpty, OnEmptyPublish, OnEmptyHold)
	v.oneOf(at("mode"), &u.Mode, ModePublish, ModeShadow)
	v.oneOf(at("topology", "use"), &u.Topology.Use, topologyNone, string(endpointset.TopologyHints), string(endpointset.TopologyZone), string(endpointset.TopologyNode))
	v.oneOf(at("topology", "mode"), &u.Topology.Mode, string(endpointset.ModePrefer), string(endpointset.ModeRequire))
	if err := u.location(c).Validate(); err != nil {
		v.wrong(at("topology"), "%v in the section location", err)
	}
	switch {
	case u.Mode == ModeShadow && len(u.To) > 0:
		v.wrong(at("to"), "an upstream in mode shadow publishes nowhere: take the targets out")
	case u.Mode == ModePublish && len(u.To) == 0:
		v.wrong(at("to"), "there is no target: name one, or use mode: shadow")
	}
}

// oneOf fills in the default, the first of the values, and refuses others.
func (v *validator) oneOf(path []any, value *string, values ...string) {
	if *value == "" {
		*value = values[0]
	}
	if !slices.Contains(values, *value) {
		v.wrong(path, "%q is not one of %s", *value, strings.Join(values, ", "))
	}
}

func (v *validator) target(u *Upstream, t *Target, path []any, targets map[string]string) {
	if t == nil {
		v.wrong(path, "is empty")
		return
	}
	kind, err := t.kind()
	if err != nil {
		v.wrong(path, "%v", err)
		return
	}
	driver, err := t.Driver()
	if err != nil {
		v.wrong(append(path, kind), "%v", err)
		return
	}
	if other, taken := targets[driver.Target()]; taken {
		v.wrong(append(path, kind), "upstreams %q and %q both write %s: they would undo each other's work", other, u.Name, driver.Target())
		return
	}
	targets[driver.Target()] = u.Name
}
