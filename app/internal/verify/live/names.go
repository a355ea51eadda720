package live

import (
	"net/netip"
	"sync"

	"github.com/slicewright/slicewright/endpointset"
)

// Names knows the addresses of what slices name as targets, by name and by UID,
// also of those that are gone: late answers are what is looked for. The zero
// value knows none; it is safe for concurrent use. A nil *Names learns nothing.
type Names struct {
	mu    sync.Mutex // guards known
	known map[string]netip.AddrPort
}

// Address is for identify.Names. The port is 0: a target has one address and as
// many ports as it likes.
func (n *Names) Address(name string) (netip.AddrPort, bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	address, ok := n.known[name]
	return address, ok
}

func (n *Names) learn(set *endpointset.Set) {
	if n == nil {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.known == nil {
		n.known = map[string]netip.AddrPort{}
	}
	for _, b := range set.Backends() {
		for _, name := range []string{b.Target.Name, b.Target.Namespace + "/" + b.Target.Name, b.Target.UID} {
			if name != "" && name != "/" {
				n.known[name] = netip.AddrPortFrom(b.Addr, 0)
			}
		}
	}
}
