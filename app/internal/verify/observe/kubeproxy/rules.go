package kubeproxy

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
)

// rules are the parts of kube-proxy's table that say where a connection goes:
// two maps from address, protocol and port to a verdict, and the chains that the
// verdicts lead to. Names and forms are those in pkg/proxy/nftables of Kubernetes
// 1.36 and 1.37.
type rules struct {
	services    []destination
	noEndpoints []destination
	chains      map[string][]statement
}

// A destination is one element of a map.
type destination struct {
	protocol string
	port     uint16
	chain    string // of the verdict; "" for a drop
	comment  string
}

// A statement is one of those that a rule is made of, by its kind.
type statement map[string]json.RawMessage

const (
	servicesMap    = "service-ips"
	noEndpointsMap = "no-endpoint-services"
)

// parseRules reads what "nft -j list table" wrote.
func parseRules(dump []byte) (*rules, error) {
	var document struct {
		Nftables []struct {
			Map *struct {
				Name string
				Elem []json.RawMessage
			}
			Rule *struct {
				Chain string
				Expr  []statement
			}
		}
	}
	if err := json.Unmarshal(dump, &document); err != nil {
		return nil, fmt.Errorf("nft's answer: %w", err)
	}
	r := &rules{chains: make(map[string][]statement)}
	maps := 0
	for _, object := range document.Nftables {
		if rule := object.Rule; rule != nil {
			r.chains[rule.Chain] = append(r.chains[rule.Chain], rule.Expr...)
		}
		if object.Map == nil {
			continue
		}
		var into *[]destination
		switch object.Map.Name {
		case servicesMap:
			into = &r.services
		case noEndpointsMap:
			into = &r.noEndpoints
		default:
			continue
		}
		maps++
		for _, element := range object.Map.Elem {
			d, err := parseDestination(element)
			if err != nil {
				return nil, fmt.Errorf("map %s: %w", object.Map.Name, err)
			}
			*into = append(*into, d)
		}
	}
	if maps != 2 {
		// Not yet filled by kube-proxy, or by one that names things differently.
		return nil, fmt.Errorf("has not both maps %s and %s", servicesMap, noEndpointsMap)
	}
	return r, nil
}

// parseDestination reads [{"concat": [IP, PROTOCOL, PORT]}, VERDICT]. A key with a
// comment is {"elem": {"val": KEY, "comment": TEXT}}.
func parseDestination(element json.RawMessage) (destination, error) {
	var d destination
	var pair []json.RawMessage
	if err := json.Unmarshal(element, &pair); err != nil || len(pair) != 2 {
		return d, fmt.Errorf("%.100q is no element", element)
	}
	type concat struct{ Concat []json.RawMessage }
	var key struct {
		concat
		Elem *struct {
			Val     concat
			Comment string
		}
	}
	if err := json.Unmarshal(pair[0], &key); err != nil {
		return d, fmt.Errorf("%.100q is no key", pair[0])
	}
	parts := key.Concat
	if key.Elem != nil {
		parts, d.comment = key.Elem.Val.Concat, key.Elem.Comment
	}
	if len(parts) != 3 || json.Unmarshal(parts[1], &d.protocol) != nil || json.Unmarshal(parts[2], &d.port) != nil {
		return d, fmt.Errorf("%.100q is not address, protocol and port", pair[0])
	}
	var verdict statement
	if err := json.Unmarshal(pair[1], &verdict); err != nil {
		return d, fmt.Errorf("%.100q is no verdict", pair[1])
	}
	var err error
	if target, ok := verdict["goto"]; ok {
		d.chain, err = parseTarget(target)
	}
	return d, err
}

func parseTarget(target json.RawMessage) (chain string, err error) {
	var to struct{ Target string }
	if err := json.Unmarshal(target, &to); err != nil || to.Target == "" {
		return "", fmt.Errorf("%.100q goes to no chain", target)
	}
	return to.Target, nil
}

// An endpoint is where the rules send connections to.
type endpoint struct {
	address netip.AddrPort
	local   bool // chosen because of internalTrafficPolicy Local
}

// endpoints follows the rules from the Service's addresses to its endpoints.
// named reports whether they name the port at all.
func (r *rules) endpoints(port servicePort) (found []endpoint, named bool, err error) {
	var entries []string
	for _, d := range r.services {
		// Only what a map leads to counts: chains of the past stay for a while.
		if !slices.Contains(entries, d.chain) && port.isChain(d) {
			entries = append(entries, d.chain)
		}
	}
	if len(entries) == 0 {
		return nil, slices.ContainsFunc(r.noEndpoints, port.isComment), nil
	}
	for _, entry := range entries {
		addresses, err := r.follow(entry, 0)
		if err != nil {
			return nil, true, fmt.Errorf("chain %.200q: %w", entry, err)
		}
		if len(addresses) == 0 {
			return nil, true, fmt.Errorf("chain %.200q leads to no endpoint: its rules are not those of a kube-proxy that is known", entry)
		}
		for _, a := range addresses {
			found = append(found, endpoint{address: a, local: strings.HasPrefix(entry, "local-")})
		}
	}
	return found, true, nil
}

// isChain reports whether d leads to the chain for connections to the ClusterIP.
// The chains "external-…" are for addresses from outside.
func (p servicePort) isChain(d destination) bool {
	base, isService := strings.CutPrefix(d.chain, "service-")
	if !isService {
		var isLocal bool
		if base, isLocal = strings.CutPrefix(d.chain, "local-"); !isLocal {
			return false
		}
	}
	if number, ok := p.number(); ok {
		_, after, _ := strings.Cut(base, "-")
		name, ok := strings.CutPrefix(after, p.namespace+"/"+p.service+"/"+p.protocol+"/")
		if !ok || d.port != number {
			return false
		}
		p.port = name
	}
	return base == p.chainBase()
}

// chainBase is a chain's name without its prefix. The hash in it keeps names
// apart that are long or alike.
func (p servicePort) chainBase() string {
	name := p.namespace + "/" + p.service + "/" + p.protocol + "/" + p.port
	sum := sha256.Sum256([]byte(name))
	return base32.StdEncoding.EncodeToString(sum[:])[:8] + "-" + name
}

// maxComment is where kube-proxy cuts a comment, as nftables asks.
const maxComment = 128

// isComment reports whether d is marked as a destination of the port.
func (p servicePort) isComment(d destination) bool {
	name := p.namespace + "/" + p.service
	if number, ok := p.number(); ok {
		if d.port != number || d.protocol != p.protocol {
			return false
		}
		return d.comment == cut(name) || strings.HasPrefix(d.comment, cut(name+":"))
	}
	if p.port != "" {
		name += ":" + p.port
	}
	return d.comment == cut(name) && d.protocol == p.protocol
}

func cut(text string) string { return text[:min(len(text), maxComment)] }

// follow returns where the rules of a chain send connections to: by "dnat" to one
// address, by "dnat" to one of a map, or by "goto" and "vmap" to the chains of
// endpoints (session affinity; every Service in earlier versions).
func (r *rules) follow(chain string, depth int) ([]netip.AddrPort, error) {
	var found []netip.AddrPort
	add := func(addresses ...netip.AddrPort) {
		for _, a := range addresses {
			if !slices.Contains(found, a) {
				found = append(found, a)
			}
		}
	}
	through := func(target json.RawMessage) error {
		next, err := parseTarget(target)
		if err != nil {
			return err
		}
		if !strings.HasPrefix(next, "endpoint-") || depth > 0 {
			return fmt.Errorf("leads to chain %.200q, which is no endpoint's", next)
		}
		addresses, err := r.follow(next, depth+1)
		if err == nil && len(addresses) == 0 {
			err = fmt.Errorf("leads to chain %.200q, which leads nowhere", next)
		}
		add(addresses...)
		return err
	}
	for _, s := range r.chains[chain] {
		if dnat, ok := s["dnat"]; ok {
			addresses, err := parseDNAT(dnat)
			if err != nil {
				return nil, err
			}
			add(addresses...)
		}
		if target, ok := s["goto"]; ok {
			if err := through(target); err != nil {
				return nil, err
			}
		}
		if vmap, ok := s["vmap"]; ok {
			verdicts, err := parseSet(vmap)
			if err != nil {
				return nil, err
			}
			for _, v := range verdicts {
				var verdict statement
				if err := json.Unmarshal(v, &verdict); err != nil || verdict["goto"] == nil {
					return nil, fmt.Errorf("%.100q is no goto", v)
				}
				if err := through(verdict["goto"]); err != nil {
					return nil, err
				}
			}
		}
	}
	return found, nil
}

// parseDNAT reads {"addr": IP, "port": N}, or {"addr": {"map": …}} with pairs of
// address and port.
func parseDNAT(dnat json.RawMessage) ([]netip.AddrPort, error) {
	var to struct {
		Addr json.RawMessage
		Port uint16
	}
	if err := json.Unmarshal(dnat, &to); err != nil {
		return nil, fmt.Errorf("%.100q is no dnat to an address", dnat)
	}
	var choice struct{ Map json.RawMessage }
	if json.Unmarshal(to.Addr, &choice) != nil || choice.Map == nil {
		address, err := parseAddress(to.Addr, to.Port)
		return []netip.AddrPort{address}, err
	}
	values, err := parseSet(choice.Map)
	if err != nil {
		return nil, err
	}
	addresses := make([]netip.AddrPort, len(values))
	for i, v := range values {
		var pair struct{ Concat []json.RawMessage }
		var port uint16
		if json.Unmarshal(v, &pair) != nil || len(pair.Concat) != 2 || json.Unmarshal(pair.Concat[1], &port) != nil {
			return nil, fmt.Errorf("%.100q is not address and port", v)
		}
		if addresses[i], err = parseAddress(pair.Concat[0], port); err != nil {
			return nil, err
		}
	}
	return addresses, nil
}

func parseAddress(text json.RawMessage, port uint16) (netip.AddrPort, error) {
	var s string
	if err := json.Unmarshal(text, &s); err != nil {
		return netip.AddrPort{}, fmt.Errorf("%.100q is no address", text)
	}
	ip, err := netip.ParseAddr(s)
	if err != nil || ip.Zone() != "" || port == 0 {
		return netip.AddrPort{}, fmt.Errorf("%.100q and %d are no address and port", s, port)
	}
	return netip.AddrPortFrom(ip, port), nil
}

// parseSet returns the values of {"key": …, "data": {"set": [[KEY, VALUE], …]}}.
func parseSet(text json.RawMessage) ([]json.RawMessage, error) {
	var lookup struct {
		Data struct{ Set [][]json.RawMessage }
	}
	if err := json.Unmarshal(text, &lookup); err != nil || len(lookup.Data.Set) == 0 {
		return nil, errors.New("a choice among nothing, or not of the known form")
	}
	values := make([]json.RawMessage, len(lookup.Data.Set))
	for i, pair := range lookup.Data.Set {
		if len(pair) != 2 {
			return nil, errors.New("a choice not of the known form")
		}
		values[i] = pair[1]
	}
	return values, nil
}
