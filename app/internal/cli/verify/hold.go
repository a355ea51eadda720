package verify

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"time"

	"github.com/spf13/pflag"

	"github.com/slicewright/slicewright/app/internal/cli/command"
	"github.com/slicewright/slicewright/app/internal/verify"
	"github.com/slicewright/slicewright/app/internal/verify/hold"
	"github.com/slicewright/slicewright/app/internal/verify/probe"
)

type verifyHoldFlags struct {
	targets     []string
	connections int
	every       time.Duration
	silent      bool
}

func (f *verifyHoldFlags) addTo(flags *pflag.FlagSet) {
	flags.StringArrayVar(&f.targets, "hold", nil, "where to hold connections open: "+hold.Example+"; may be repeated")
	flags.IntVar(&f.connections, "hold-connections", 1, "connections that each --hold keeps open")
	flags.DurationVar(&f.every, "hold-every", 200*time.Millisecond, "time between two messages on a held connection")
	flags.BoolVar(&f.silent, "hold-silent", false, "send nothing on held connections, for backends that would close them on it")
}

// holders returns where connections are held, under the conditions of probes.
func (f *verifyHoldFlags) holders(ctx context.Context, options probe.Options) ([]*hold.Target, error) {
	if f.connections <= 0 || f.every <= 0 { // to package hold, 0 is the default
		return nil, command.UsageErrorf("--hold-connections and --hold-every must be positive")
	}
	var all []*hold.Target
	for _, text := range f.targets {
		target, err := hold.Parse(text, hold.Options{
			Dialer: options.Dialer, Connections: f.connections, Every: f.every, Timeout: options.Timeout, Silent: f.silent,
			Header: options.Header, Identify: options.Identify, Names: options.Names,
		})
		if err != nil {
			return nil, command.UsageErrorf("--hold: %w", err)
		}
		if err := target.Check(ctx); err != nil {
			return nil, command.UsageErrorf("--hold: %w: see --allow-probe", err)
		}
		all = append(all, target)
	}
	return all, nil
}

// publishedRequests is how many ordinary requests tell who gets any: enough for
// a round over some hundred backends.
const publishedRequests = 200

// healthProbes returns what asks a backend itself whether it is well. Its address
// is the slices' word, so what may be probed bounds it too.
func healthProbes(text string, options probe.Options) (func(netip.AddrPort) (verify.Prober, error), error) {
	if text == "" {
		return nil, nil
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme == "" || u.Hostname() != "" || u.User != nil {
		return nil, command.UsageErrorf("--health %q: write a URL without a host, such as http://:8081/healthz", text)
	}
	port := uint64(0)
	if u.Port() != "" {
		if port, err = strconv.ParseUint(u.Port(), 10, 16); err != nil {
			return nil, command.UsageErrorf("--health %q: %w", text, err)
		}
	}
	options.Send = ""
	at := func(address netip.AddrPort) (verify.Prober, error) {
		own := *u
		number := uint64(address.Port())
		if port != 0 {
			number = port
		}
		own.Host = net.JoinHostPort(address.Addr().String(), fmt.Sprint(number))
		return probe.Parse(own.String(), options)
	}
	// Whatever is wrong with it is wrong for every address.
	if _, err := at(netip.MustParseAddrPort("127.0.0.1:80")); err != nil {
		return nil, command.UsageErrorf("--health: %w", err)
	}
	return at, nil
}
