// Package nginx reads the servers of an upstream from nginx's configuration files,
// as nginx itself would read them: with its rules for words and quotes, and with
// the files that are included.
//
//   - new: a server without "down", "drain" or "backup"; a backup server while
//     every other is down;
//   - draining: "drain" (of the commercial nginx);
//   - idle: "down"; "backup" otherwise.
//
// A file is not what runs. nginx takes it over when it is reloaded, and goes on
// with the old one if the new one is refused. Nor does a file say which servers
// nginx leaves out for a while after failures (max_fails), what was changed
// through an API, or how many connections there are. Probes show who answers.
//
// FILE is nginx's main file, or any that holds the upstream. Relative names in it
// count from its folder, as they do for nginx from that of the main file.
package nginx

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strconv"
	"strings"

	"github.com/slicewright/slicewright/app/internal/verify"
)

// Source is one upstream in one configuration.
type Source struct {
	File, Upstream string
}

// Parse parses "FILE#UPSTREAM".
func Parse(rest string) (*Source, error) {
	at := strings.LastIndexByte(rest, '#')
	if at <= 0 || at == len(rest)-1 {
		return nil, errors.New("is not FILE#UPSTREAM")
	}
	return &Source{File: rest[:at], Upstream: rest[at+1:]}, nil
}

// Members implements observe.Source.
func (s *Source) Members(ctx context.Context) ([]verify.Member, error) {
	r := &reader{upstream: s.Upstream}
	if err := r.read(ctx, s.File); err != nil {
		return nil, fmt.Errorf("nginx: %w", err)
	}
	switch len(r.found) {
	case 1:
	case 0:
		return nil, fmt.Errorf("nginx: %s: no upstream %q in it or in what it includes", s.File, s.Upstream)
	default:
		return nil, fmt.Errorf("nginx: upstream %q is there twice, at %s and %s", s.Upstream, r.found[0].place, r.found[1].place)
	}
	members, err := members(r.found[0])
	if err != nil {
		return nil, fmt.Errorf("nginx: %w", err)
	}
	return members, nil
}

// An upstream as the configuration has it.
type upstream struct {
	place      // of its name
	stream     bool
	statements []statement
}

// members judges the statements inside an upstream.
func members(u *upstream) ([]verify.Member, error) {
	var list []verify.Member
	var backup []bool
	servers, primary := 0, false
	for _, s := range u.statements {
		switch s.words[0] {
		case "server":
		case "state":
			return nil, fmt.Errorf("%s: the servers are in nginx's own state file, which is not read", s.place)
		default:
			continue // how to choose among servers, not which
		}
		servers++
		if len(s.words) < 2 {
			return nil, fmt.Errorf("%s: a server without an address", s.place)
		}
		options, err := parseOptions(s.words[2:])
		if err != nil {
			return nil, fmt.Errorf("%s: server %.100q: %w", s.place, s.words[1], err)
		}
		primary = primary || options.use == verify.New && !options.backup
		address, err := parseAddress(s.words[1], u.stream)
		if err != nil && options.use == verify.Idle {
			continue // gets nothing, so it is nothing to compare
		} else if err != nil {
			return nil, fmt.Errorf("%s: %w", s.place, err)
		}
		list = append(list, verify.Member{
			Address: address, Use: options.use, Open: verify.Unknown, Total: verify.Unknown, Detail: strings.Join(s.words[2:], " "),
		})
		backup = append(backup, options.backup)
	}
	if servers == 0 {
		return nil, fmt.Errorf("%s: an upstream without a server, which nginx refuses", u.place)
	}
	for i := range list {
		if backup[i] && primary && list[i].Use == verify.New {
			list[i].Use = verify.Idle
		}
	}
	return list, nil
}

// serverOptions are those that say whether a server gets connections.
type serverOptions struct {
	use    verify.Use
	backup bool
}

func parseOptions(words []string) (serverOptions, error) {
	o := serverOptions{use: verify.New}
	for _, word := range words {
		name, value, hasValue := strings.Cut(word, "=")
		switch {
		case word == "down":
			o.use = verify.Idle
		case word == "drain":
			o.use = verify.Draining
		case word == "backup":
			o.backup = true
		case word == "resolve":
		case hasValue && name == "weight":
			if n, err := strconv.ParseUint(value, 10, 31); err != nil || n == 0 {
				return o, fmt.Errorf("weight %.40q is not a number above 0", value)
			}
		case hasValue && (name == "max_conns" || name == "max_fails" || name == "fail_timeout" || name == "slow_start" || name == "route" || name == "service"):
		default:
			return o, fmt.Errorf("option %.80q is not known", word)
		}
	}
	return o, nil
}

// parseAddress reads IPv4, IPv4:PORT, [IPv6] or [IPv6]:PORT. In http the port is
// 80 if it is left out; in stream it must be there.
func parseAddress(text string, stream bool) (netip.AddrPort, error) {
	if address, err := netip.ParseAddrPort(text); err == nil && address.Port() != 0 && address.Addr().Zone() == "" {
		return address, nil
	}
	bare := text
	if inside, ok := strings.CutPrefix(text, "["); ok && strings.HasSuffix(inside, "]") {
		bare = strings.TrimSuffix(inside, "]")
	}
	// nginx does not read an IPv6 address without brackets.
	if ip, err := netip.ParseAddr(bare); err == nil && ip.Zone() == "" && ip.Is6() == (bare != text) {
		if stream {
			return netip.AddrPort{}, fmt.Errorf("server %q has no port, which nginx refuses in stream", text)
		}
		return netip.AddrPortFrom(ip, 80), nil
	}
	return netip.AddrPort{}, fmt.Errorf("server %.100q is no IP address with a port: it cannot be held against slices", text)
}
