package shadow

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"

	"github.com/slicewright/slicewright/app/internal/document"
	"github.com/slicewright/slicewright/endpointset"
)

// ReferenceKind is the kind of a file with references.
const ReferenceKind = "ShadowReference"

// referenceFile is a file with the sets to compare with. Its schema is
// docs/schemas/shadowreference.schema.json.
type referenceFile struct {
	APIVersion string             `json:"apiVersion"`
	Kind       string             `json:"kind"`
	Services   []referenceService `json:"services"`
}

type referenceService struct {
	// Service is NAMESPACE/NAME.
	Service  string             `json:"service"`
	Backends []referenceBackend `json:"backends"`
}

type referenceBackend struct {
	// Port is the port's name, "" for the unnamed one; Protocol is TCP if empty.
	Port     string `json:"port"`
	Protocol string `json:"protocol"`
	// Endpoint is IP:PORT, [IP]:PORT for IPv6.
	Endpoint string `json:"endpoint"`
	// NotReady backends get no new connections.
	NotReady bool `json:"notReady"`
}

// ParseReference reads, from YAML or JSON, the sets to compare slices with where
// no equality with Endpoints can be expected. The values are true for what is
// ready. A mistake is an error, as is a field that is not known: a reference of
// which half was read would make differences of its own.
func ParseReference(data []byte) (map[endpointset.ServiceKey]map[endpointset.ID]bool, error) {
	var file referenceFile
	if err := document.Unmarshal(data, &file); err != nil {
		return nil, fmt.Errorf("read the reference: %w", err)
	}
	if file.APIVersion != APIVersion || file.Kind != ReferenceKind {
		return nil, fmt.Errorf("read the reference: it is %q %q, not %s %s", file.APIVersion, file.Kind, APIVersion, ReferenceKind)
	}
	all := map[endpointset.ServiceKey]map[endpointset.ID]bool{}
	for i, s := range file.Services {
		namespace, name, ok := strings.Cut(s.Service, "/")
		if !ok || namespace == "" || name == "" || strings.Contains(name, "/") {
			return nil, fmt.Errorf("read the reference: services[%d].service: %q is not NAMESPACE/NAME", i, s.Service)
		}
		key := endpointset.ServiceKey{Namespace: namespace, Name: name}
		if all[key] != nil {
			return nil, fmt.Errorf("read the reference: services[%d].service: %s is there twice", i, key)
		}
		all[key] = map[endpointset.ID]bool{} // an empty set is a set too
		for j, b := range s.Backends {
			id, err := b.id()
			if err != nil {
				return nil, fmt.Errorf("read the reference: services[%d].backends[%d]: %w", i, j, err)
			}
			all[key][id] = !b.NotReady
		}
	}
	if len(all) == 0 {
		return nil, errors.New("read the reference: it names no Service")
	}
	return all, nil
}

func (b *referenceBackend) id() (endpointset.ID, error) {
	at, err := netip.ParseAddrPort(b.Endpoint)
	if err != nil || at.Port() == 0 || at.Addr().Zone() != "" {
		return endpointset.ID{}, fmt.Errorf("endpoint: %q is not IP:PORT, or [IP]:PORT for IPv6", b.Endpoint)
	}
	protocol := strings.ToUpper(b.Protocol)
	switch protocol {
	case "":
		protocol = "TCP"
	case "TCP", "UDP", "SCTP":
	default:
		return endpointset.ID{}, fmt.Errorf("protocol: %q is not one of TCP, UDP, SCTP", b.Protocol)
	}
	return endpointset.ID{PortName: b.Port, Protocol: protocol, Addr: at.Addr().Unmap(), Number: at.Port()}, nil
}
