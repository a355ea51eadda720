package producer

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	discovery "k8s.io/api/discovery/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/slicewright/slicewright/endpointset"
)

// maxProblems bounds how many problems one error lists: a source of 100 000
// wrong addresses gives a readable message.
const maxProblems = 10

// Validate says what the API server would refuse, and what would make two
// producers fight. It is nil for what can be published. Plan and Writer call it.
func (d Desired) Validate() error {
	var p problems
	p.check("namespace", dns(validation.IsDNS1123Label(d.Service.Namespace)), d.Service.Namespace)
	p.add(checkServiceName(d.Service.Name))
	p.add(ValidateManagedBy(d.ManagedBy))
	if d.MaxEndpoints < 0 || d.MaxEndpoints > MaxEndpoints {
		p.add(fmt.Errorf("max endpoints %d: a slice holds 1 to %d", d.MaxEndpoints, MaxEndpoints))
	}
	for key, value := range d.Labels {
		p.check("label "+key, dns(append(validation.IsQualifiedName(key), validation.IsValidLabelValue(value)...)), value)
	}
	for key := range d.Annotations {
		p.check("annotation", dns(validation.IsQualifiedName(strings.ToLower(key))), key)
	}
	d.validateSubsets(&p)
	if err := p.err(); err != nil {
		return fmt.Errorf("service %s: %w", d.Service, err)
	}
	return nil
}

func (d Desired) validateSubsets(p *problems) {
	type carried struct {
		port endpointset.Port
		key  recordKey
	}
	seen := map[carried]bool{}
	for i, subset := range d.Subsets {
		at := fmt.Sprintf("subset %d", i)
		if err := checkPorts(subset.Ports); err != nil {
			p.add(fmt.Errorf("%s: %w", at, err))
		}
		for _, e := range subset.Endpoints {
			if err := e.validate(); err != nil {
				p.add(fmt.Errorf("%s: %w", at, err))
			}
			ports := subset.Ports
			if len(ports) == 0 {
				ports = []endpointset.Port{{}} // so that a portless endpoint is seen twice too
			}
			for _, port := range ports {
				c := carried{identity(port), e.key()}
				if seen[c] {
					p.add(fmt.Errorf("%s: %s with port %s is there twice: one record must speak for it", at, e.Addr, portText(port)))
				}
				seen[c] = true
			}
		}
	}
}

func (e Endpoint) validate() error {
	if err := ValidateAddr(e.Addr); err != nil {
		return err
	}
	if e.State > Stopping {
		return fmt.Errorf("%s: unknown state %d", e.Addr, e.State)
	}
	if e.Hostname != "" {
		if msg := dns(validation.IsDNS1123Label(e.Hostname)); msg != "" {
			return fmt.Errorf("%s: hostname %q: %s", e.Addr, e.Hostname, msg)
		}
	}
	if e.Node != "" {
		if msg := dns(validation.IsDNS1123Subdomain(e.Node)); msg != "" {
			return fmt.Errorf("%s: node %q: %s", e.Addr, e.Node, msg)
		}
	}
	if msg := dns(validation.IsValidLabelValue(e.Zone)); msg != "" {
		// The API takes any zone; as a hint, which is made of it, it must be a label's value.
		return fmt.Errorf("%s: zone %q: %s", e.Addr, e.Zone, msg)
	}
	return nil
}

// ValidateManagedBy says whether value can be a producer's own value of the
// label endpointslice.kubernetes.io/managed-by. Names that end in k8s.io are
// Kubernetes' own: its controllers delete or rewrite what bears theirs.
func ValidateManagedBy(value string) error {
	if value == "" {
		return errors.New("managed-by is empty: give the producer a name of its own, such as vm-publisher.example.com")
	}
	if msg := dns(validation.IsValidLabelValue(value)); msg != "" {
		return fmt.Errorf("managed-by %q: %s", value, msg)
	}
	if value == "k8s.io" || strings.HasSuffix(value, ".k8s.io") {
		return fmt.Errorf("managed-by %q: names under k8s.io belong to Kubernetes' own controllers, which would take the slices for theirs: use a name of your own", value)
	}
	return nil
}

// ValidateAddr says whether the API server takes addr in an EndpointSlice.
func ValidateAddr(addr netip.Addr) error {
	a := addr.Unmap()
	switch {
	case !addr.IsValid():
		return errors.New("an endpoint has no address")
	case a.Zone() != "":
		return fmt.Errorf("address %s has a zone (%%%s): an EndpointSlice takes none", addr, a.Zone())
	case a.IsUnspecified():
		return fmt.Errorf("address %s is the unspecified address: it leads nowhere", addr)
	case a.IsLoopback():
		return fmt.Errorf("address %s is a loopback address: the API refuses it, since it means another host for everyone who reads it", addr)
	case a.IsLinkLocalUnicast():
		return fmt.Errorf("address %s is a link-local address: the API refuses it", addr)
	case a.IsLinkLocalMulticast():
		return fmt.Errorf("address %s is a link-local multicast address: the API refuses it", addr)
	}
	return nil
}

func checkServiceName(name string) error {
	if name == "" {
		return errors.New("the Service has no name")
	}
	// The name is a label's value on the slices (S1): 63 characters at most.
	if msg := dns(validation.IsDNS1123Subdomain(name)); msg != "" {
		return fmt.Errorf("name %q: %s", name, msg)
	}
	if msg := dns(validation.IsValidLabelValue(name)); msg != "" {
		return fmt.Errorf("name %q cannot be the value of label %s, so no slice can belong to it: %s", name, discovery.LabelServiceName, msg)
	}
	return nil
}

func checkPorts(ports []endpointset.Port) error {
	if len(ports) > MaxPorts {
		return fmt.Errorf("%d ports: a slice has at most %d, use several subsets", len(ports), MaxPorts)
	}
	names := map[string]bool{}
	for _, port := range ports {
		if err := checkPort(port); err != nil {
			return err
		}
		if names[port.Name] {
			return fmt.Errorf("port name %q is there twice: names are unique within a slice, use two subsets", port.Name)
		}
		names[port.Name] = true
	}
	return nil
}

func checkPort(port endpointset.Port) error {
	if port.Name != "" {
		if msg := dns(validation.IsDNS1123Label(port.Name)); msg != "" {
			return fmt.Errorf("port name %q: %s", port.Name, msg)
		}
	}
	if port.Number == 0 {
		return fmt.Errorf("port %q has no number", port.Name)
	}
	if !slices.Contains([]string{"", "TCP", "UDP", "SCTP"}, port.Protocol) {
		return fmt.Errorf("port %q: protocol %q is not one of TCP, UDP, SCTP", port.Name, port.Protocol)
	}
	if port.AppProtocol != "" {
		if msg := dns(validation.IsQualifiedName(port.AppProtocol)); msg != "" {
			return fmt.Errorf("port %q: appProtocol %q: %s", port.Name, port.AppProtocol, msg)
		}
	}
	return nil
}

// dns joins what an apimachinery check found; "" when all is well.
func dns(messages []string) string { return strings.Join(messages, ", ") }

// problems collects errors up to a bound and counts the rest.
type problems struct {
	errs []error
	more int
}

func (p *problems) add(err error) {
	switch {
	case err == nil:
	case len(p.errs) < maxProblems:
		p.errs = append(p.errs, err)
	default:
		p.more++
	}
}

func (p *problems) check(what, message, value string) {
	if message != "" {
		p.add(fmt.Errorf("%s %q: %s", what, value, message))
	}
}

func (p *problems) err() error {
	if p.more > 0 {
		return errors.Join(append(p.errs, fmt.Errorf("and %d more", p.more))...)
	}
	if len(p.errs) == 1 {
		return p.errs[0]
	}
	return errors.Join(p.errs...)
}
