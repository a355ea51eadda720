// Package kubeproxy reads kube-proxy's rules for one port of a Service in a
// network namespace: what the kernel does now with a new connection to the
// Service's ClusterIP. It needs the program nft, kube-proxy in mode nftables, and
// CAP_NET_ADMIN there; for another network namespace nsenter and CAP_SYS_ADMIN.
//
// New is every endpoint that a rule sends new connections to. An endpoint without
// such a rule is not there at all, so there is neither draining nor idle:
// kube-proxy forgets an endpoint whose open connections live on in the kernel's
// connection tracking. How many there are is not in the rules.
//
// A Service port that kube-proxy rejects or drops for want of endpoints is empty.
// One that its rules do not name is an error. A headless Service is not there.
//
// With internalTrafficPolicy Local the endpoints are those of this node. Where
// NodePorts and load balancer addresses lead, with externalTrafficPolicy Local
// elsewhere than the ClusterIP, is not read. Session affinity is not either: a
// client that is bound to an endpoint goes on to it as long as it is there.
//
// The rules are what packets meet, whether kube-proxy is alive or not. If Healthz
// is set, the detail of each backend says how kube-proxy answers there; a
// kube-proxy that is not healthy is behind with its rules.
package kubeproxy

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/slicewright/slicewright/app/internal/verify"
	"github.com/slicewright/slicewright/app/internal/verify/observe/internal/fetch"
	"github.com/slicewright/slicewright/app/internal/verify/observe/internal/options"
)

// Source is one port of a Service in one network namespace.
type Source struct {
	Namespace, Service string
	// Port is the port's name, "" for a port without one, or the Service's port
	// number in digits: a name has a letter.
	Port string
	// Protocol is "tcp", "udp" or "sctp".
	Protocol string
	// Netns is the file of the network namespace, such as /proc/4711/ns/net or
	// /run/netns/NAME; "" is the observer's own.
	Netns string
	// Healthz is asked at each look, if it is not nil.
	Healthz *url.URL

	// list runs nft; tests replace it.
	list func(ctx context.Context, netns, family string) ([]byte, error)
}

var (
	label    = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$`)
	portName = regexp.MustCompile(`^([a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)?$`)
)

// Parse parses "NAMESPACE/SERVICE:PORT[?protocol=udp&netns=PATH&healthz=URL]".
func Parse(rest string) (*Source, error) {
	head, values, err := options.Split(rest, "protocol", "netns", "healthz")
	if err != nil {
		return nil, err
	}
	object, port, colon := strings.Cut(head, ":")
	namespace, service, slash := strings.Cut(object, "/")
	s := &Source{Namespace: namespace, Service: service, Port: port, Protocol: values["protocol"], Netns: values["netns"], list: list}
	switch {
	case !slash || !colon:
		return nil, errors.New("is not NAMESPACE/SERVICE:PORT")
	case !label.MatchString(namespace):
		return nil, fmt.Errorf("%q is no name of a namespace", namespace)
	case !label.MatchString(service):
		return nil, fmt.Errorf("%q is no name of a Service", service)
	case !portName.MatchString(port):
		return nil, fmt.Errorf("%q is neither a port's name nor its number", port)
	case s.Protocol == "":
		s.Protocol = "tcp"
	case s.Protocol != "tcp" && s.Protocol != "udp" && s.Protocol != "sctp":
		return nil, fmt.Errorf("protocol %q is not one of tcp, udp, sctp", s.Protocol)
	}
	if s.Netns != "" && !filepath.IsAbs(s.Netns) {
		return nil, fmt.Errorf("netns %q is not an absolute path", s.Netns)
	}
	if healthz := values["healthz"]; healthz != "" {
		if s.Healthz, err = fetch.ParseURL(healthz); err != nil {
			return nil, fmt.Errorf("healthz: %w", err)
		}
	}
	return s, nil
}

// Members implements observe.Source.
func (s *Source) Members(ctx context.Context) ([]verify.Member, error) {
	members, err := s.members(ctx)
	if err != nil {
		return nil, fmt.Errorf("kube-proxy: %s/%s:%s: %w", s.Namespace, s.Service, s.Port, err)
	}
	return members, nil
}

func (s *Source) members(ctx context.Context) ([]verify.Member, error) {
	port, tables := servicePort{s.Namespace, s.Service, s.Protocol, s.Port}, 0
	var members []verify.Member
	named := false
	for _, family := range []string{"ip", "ip6"} {
		dump, err := s.list(ctx, s.Netns, family)
		if errors.Is(err, errNoTable) {
			continue // a node without IPv6, for one
		}
		if err != nil {
			return nil, err
		}
		tables++
		rules, err := parseRules(dump)
		if err != nil {
			return nil, fmt.Errorf("table %s kube-proxy: %w", family, err)
		}
		found, ok, err := rules.endpoints(port)
		if err != nil {
			return nil, fmt.Errorf("table %s kube-proxy: %w", family, err)
		}
		named = named || ok
		for _, e := range found {
			m := verify.Member{Address: e.address, Use: verify.New, Open: verify.Unknown, Total: verify.Unknown}
			if e.local {
				m.Detail = "of this node"
			}
			members = append(members, m)
		}
	}
	switch {
	case tables == 0:
		return nil, errors.New("there is no nftables table of kube-proxy: is it this network namespace, and kube-proxy in mode nftables?")
	case !named:
		return nil, errors.New("kube-proxy's rules do not name this Service port: it does not exist, is headless, or kube-proxy has not heard of it")
	}
	s.addHealth(ctx, members)
	return members, nil
}

// addHealth puts kube-proxy's health into the details.
func (s *Source) addHealth(ctx context.Context, members []verify.Member) {
	if s.Healthz == nil {
		return
	}
	health := "kube-proxy healthy"
	if _, err := fetch.Get(ctx, s.Healthz, 64<<10); err != nil {
		health = "kube-proxy not healthy: " + err.Error()
	}
	for i := range members {
		if members[i].Detail != "" {
			members[i].Detail += ", "
		}
		members[i].Detail += health
	}
}

// A servicePort is what kube-proxy names chains after.
type servicePort struct{ namespace, service, protocol, port string }

// number is the port's number if that is what the user gave.
func (p servicePort) number() (uint16, bool) {
	n, err := strconv.ParseUint(p.port, 10, 16)
	return uint16(n), err == nil
}
