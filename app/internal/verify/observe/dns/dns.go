// Package dns reads what a DNS server answers for a name, as clients of a headless
// Service do: A and AAAA, or SRV.
//
// Every address in the answer is new: DNS cannot say more. A and AAAA tell no
// port; SRV does. What clients do with an address after it left the answer, and
// for how long they believe an answer (the detail has the record's TTL), is theirs
// and not known.
//
// A name that does not exist, and one without records of the type, is empty if
// the server speaks for the zone, that is if it is authoritative or sends the
// zone's SOA record. So a misspelt name is empty too. Everything else is an error:
// SERVFAIL, REFUSED, a referral to other servers, no answer.
//
// The name is taken as it is, fully qualified: no search domains are tried. A
// truncated answer is asked for again over TCP.
package dns

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/miekg/dns"

	"github.com/slicewright/slicewright/app/internal/verify"
	"github.com/slicewright/slicewright/app/internal/verify/observe/internal/options"
)

const (
	// try bounds one attempt: a lost packet is asked for again.
	try = 2 * time.Second
	// tries over UDP.
	tries = 3
	// maxTargets bounds the names of SRV records that are looked up one by one
	// because their addresses did not come along.
	maxTargets = 200
	// udpSize is what fits into a packet that no network cuts in pieces.
	udpSize = 1232
)

// Source is one name at one DNS server.
type Source struct {
	// Server is "ip:port" or "host:port".
	Server string
	// Name is fully qualified.
	Name string
	// Types are what is asked for: A, AAAA, both, or SRV alone.
	Types []uint16
}

// Parse parses "SERVER[:PORT]/NAME[?type=A|AAAA|SRV&port=PORTNAME&protocol=tcp]".
// Without a type it is A and AAAA. A port means SRV of "_PORT._PROTOCOL.NAME".
func Parse(rest string) (*Source, error) {
	head, values, err := options.Split(rest, "type", "port", "protocol")
	if err != nil {
		return nil, err
	}
	server, name, ok := strings.Cut(head, "/")
	if !ok {
		return nil, errors.New("has no slash between server and name")
	}
	s := &Source{}
	if s.Server, err = parseServer(server); err != nil {
		return nil, err
	}
	switch strings.ToUpper(values["type"]) {
	case "A":
		s.Types = []uint16{dns.TypeA}
	case "AAAA":
		s.Types = []uint16{dns.TypeAAAA}
	case "SRV":
		s.Types = []uint16{dns.TypeSRV}
	case "":
		s.Types = []uint16{dns.TypeA, dns.TypeAAAA}
		if values["port"] != "" {
			s.Types = []uint16{dns.TypeSRV}
		}
	default:
		return nil, fmt.Errorf("type %q is not one of A, AAAA, SRV", values["type"])
	}
	if port, protocol := values["port"], values["protocol"]; port != "" {
		if s.Types[0] != dns.TypeSRV {
			return nil, errors.New("a port has meaning for type=SRV alone")
		}
		if protocol == "" {
			protocol = "tcp"
		}
		name = "_" + port + "._" + protocol + "." + name
	} else if protocol != "" {
		return nil, errors.New("a protocol has meaning beside a port alone")
	}
	if !isName(name) {
		return nil, fmt.Errorf("%q is no name to ask for", name)
	}
	s.Name = dns.CanonicalName(name)
	return s, nil
}

// parseServer completes "host", "ip", "[ip6]", each with ":port" or without.
func parseServer(text string) (string, error) {
	if ip, err := netip.ParseAddr(text); err == nil {
		return netip.AddrPortFrom(ip, 53).String(), nil
	}
	if !strings.Contains(text, ":") || strings.HasSuffix(text, "]") {
		text += ":53"
	}
	host, port, err := net.SplitHostPort(text)
	if err != nil {
		return "", fmt.Errorf("%q is no DNS server", text)
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
		return "", fmt.Errorf("%q is no port of a server", port)
	}
	if _, err := netip.ParseAddr(host); err != nil && !isName(host) {
		return "", fmt.Errorf("%q is no DNS server", text)
	}
	return net.JoinHostPort(host, port), nil
}

// isName accepts what Kubernetes and DNS operators use for names, far less than
// DNS could carry.
func isName(text string) bool {
	for _, r := range text {
		if (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("-_.", r) {
			return false
		}
	}
	_, ok := dns.IsDomainName(text)
	return ok && text != ""
}

// Members implements observe.Source.
func (s *Source) Members(ctx context.Context) ([]verify.Member, error) {
	var members []verify.Member
	for _, kind := range s.Types {
		found, err := s.ask(ctx, kind)
		if err != nil {
			return nil, fmt.Errorf("dns: %s %s at %s: %w", dns.TypeToString[kind], s.Name, s.Server, err)
		}
		members = append(members, found...)
	}
	return members, nil
}

func (s *Source) ask(ctx context.Context, kind uint16) ([]verify.Member, error) {
	answer, err := query(ctx, s.Server, s.Name, kind)
	if err != nil {
		return nil, err
	}
	records, err := answerTo(answer, s.Name, kind)
	if err != nil || kind != dns.TypeSRV {
		return addresses(records, 0), err
	}
	return s.targets(ctx, answer, records)
}

// targets finds the addresses of SRV records: in the answer itself, where servers
// may put them, or else by asking for each.
func (s *Source) targets(ctx context.Context, answer *dns.Msg, records []dns.RR) ([]verify.Member, error) {
	var members []verify.Member
	asked := map[string][]dns.RR{}
	for _, record := range records {
		srv, ok := record.(*dns.SRV)
		if !ok {
			continue
		}
		if srv.Port == 0 {
			return nil, fmt.Errorf("the answer has a record with port 0 for %q", srv.Target)
		}
		found, ok := along(answer, srv.Target), true
		if len(found) == 0 {
			if found, ok = asked[srv.Target]; !ok {
				if len(asked) == maxTargets {
					return nil, fmt.Errorf("more than %d names to ask for", maxTargets)
				}
				var err error
				if found, err = s.resolve(ctx, srv.Target); err != nil {
					return nil, fmt.Errorf("target %q: %w", srv.Target, err)
				}
				asked[srv.Target] = found
			}
		}
		members = append(members, addresses(found, srv.Port)...)
	}
	return members, nil
}

// along returns the addresses of a name that came along with an answer.
func along(answer *dns.Msg, name string) (found []dns.RR) {
	for _, record := range answer.Extra {
		kind := record.Header().Rrtype
		if (kind == dns.TypeA || kind == dns.TypeAAAA) && strings.EqualFold(record.Header().Name, name) {
			found = append(found, record)
		}
	}
	return found
}

func (s *Source) resolve(ctx context.Context, name string) (found []dns.RR, err error) {
	for _, kind := range []uint16{dns.TypeA, dns.TypeAAAA} {
		answer, err := query(ctx, s.Server, name, kind)
		if err != nil {
			return nil, err
		}
		records, err := answerTo(answer, name, kind)
		if err != nil {
			return nil, err
		}
		found = append(found, records...)
	}
	return found, nil
}

// addresses makes members of A and AAAA records.
func addresses(records []dns.RR, port uint16) []verify.Member {
	var members []verify.Member
	for _, record := range records {
		var ip netip.Addr
		switch r := record.(type) {
		case *dns.A:
			ip, _ = netip.AddrFromSlice(r.A.To4())
		case *dns.AAAA:
			ip, _ = netip.AddrFromSlice(r.AAAA.To16())
		}
		members = append(members, verify.Member{
			Address: netip.AddrPortFrom(ip, port), Use: verify.New, Open: verify.Unknown, Total: verify.Unknown,
			Detail: fmt.Sprintf("TTL %d", record.Header().Ttl),
		})
	}
	return members
}
