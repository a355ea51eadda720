package verify

import (
	"context"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/slicewright/slicewright/app/internal/cli/command"
	"github.com/slicewright/slicewright/app/internal/verify"
	dial "github.com/slicewright/slicewright/app/internal/verify/connect"
	"github.com/slicewright/slicewright/app/internal/verify/identify"
	"github.com/slicewright/slicewright/app/internal/verify/live"
	"github.com/slicewright/slicewright/app/internal/verify/probe"
)

type verifyProbeFlags struct {
	targets    []string
	requests   int
	identify   string
	allow      []string
	from       string
	headers    []string
	method     string
	send       string
	timeout    time.Duration
	ca         string
	serverName string
	insecure   bool
}

func (f *verifyProbeFlags) addTo(flags *pflag.FlagSet) {
	flags.StringArrayVar(&f.targets, "probe", nil, "where to open new connections; may be repeated")
	flags.IntVar(&f.requests, "probes", live.DefaultRequests, "connections that each --probe makes in an --interval")
	flags.StringVar(&f.identify, "identify", "", "how an answer tells who gave it: "+identify.Forms+" (default: the usual fields of a JSON body, or a body that is an address)")
	flags.StringSliceVar(&f.allow, "allow-probe", nil, "networks or addresses that may be probed besides loopback, private ones and the Service's own addresses")
	flags.StringVar(&f.from, "probe-from", "", "local address to connect from")
	flags.StringArrayVar(&f.headers, "probe-header", nil, "header of the requests, NAME: VALUE; may be repeated")
	flags.StringVar(&f.method, "probe-method", "GET", "method of the requests")
	flags.StringVar(&f.send, "probe-send", "", "what to send first over tcp and tls, \\n for an end of line")
	flags.DurationVar(&f.timeout, "probe-timeout", dial.Timeout, "how long one connection with its answer may take")
	flags.StringVar(&f.ca, "probe-ca", "", "file with certificates to trust instead of the system's")
	flags.StringVar(&f.serverName, "probe-server-name", "", "name to ask for in the TLS handshake, and to check")
	flags.BoolVar(&f.insecure, "probe-insecure", false, "take any certificate")
}

// private are the networks that may be probed without being named: what a
// mistyped URL must not reach is somebody else's machine, or a cloud's metadata.
var private = []netip.Prefix{
	netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128"),
	netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("172.16.0.0/12"), netip.MustParsePrefix("192.168.0.0/16"),
	netip.MustParsePrefix("fc00::/7"),
}

// dialer returns how connections are made, to the addresses that are allowed.
func (f *verifyProbeFlags) dialer(own []netip.Prefix) (dial.Dialer, error) {
	allowed := append(append([]netip.Prefix{}, private...), own...)
	for _, text := range f.allow {
		network, err := parseNetwork(text)
		if err != nil {
			return dial.Dialer{}, command.UsageErrorf("--allow-probe %q: write a network, such as 203.0.113.0/24, or an address", text)
		}
		allowed = append(allowed, network)
	}
	d := dial.Dialer{Allow: dial.Within(allowed...)}
	if f.from != "" {
		from, err := netip.ParseAddr(f.from)
		if err != nil {
			return d, command.UsageErrorf("--probe-from %q: write an address of this machine", f.from)
		}
		d.From = from
	}
	var err error
	if d.TLS, err = dial.TLSConfig(f.ca, f.serverName, f.insecure); err != nil {
		return d, command.UsageErrorf("--probe-ca: %w", err)
	}
	return d, nil
}

// parseNetwork reads a network, or an address, which is a network of one
// address.
func parseNetwork(text string) (netip.Prefix, error) {
	if address, err := netip.ParseAddr(text); err == nil {
		return address.Prefix(address.BitLen())
	}
	network, err := netip.ParsePrefix(text)
	return network.Masked(), err
}

// options returns how to probe. Nothing is sent to an address that is not
// allowed.
func (f *verifyProbeFlags) options(own []netip.Prefix, names *live.Names) (probe.Options, error) {
	if f.requests <= 0 || f.timeout <= 0 {
		return probe.Options{}, command.UsageErrorf("--probes and --probe-timeout must be positive")
	}
	dialer, err := f.dialer(own)
	if err != nil {
		return probe.Options{}, err
	}
	how, err := identify.Parse(f.identify)
	if err != nil {
		return probe.Options{}, command.UsageErrorf("--identify: %w", err)
	}
	options := probe.Options{
		Dialer: dialer, Timeout: f.timeout, Header: http.Header{}, Send: strings.ReplaceAll(f.send, `\n`, "\n"), Method: f.method,
		Identify: how, Names: names.Address,
	}
	for _, text := range f.headers {
		name, value, ok := strings.Cut(text, ":")
		if !ok {
			return probe.Options{}, command.UsageErrorf("--probe-header %q: write NAME: VALUE", text)
		}
		options.Header.Add(strings.TrimSpace(name), strings.TrimSpace(value))
	}
	return options, nil
}

// probers returns the probes. Nothing is sent yet.
func (f *verifyProbeFlags) probers(ctx context.Context, options probe.Options) ([]verify.Prober, error) {
	var all []verify.Prober
	seen := map[string]bool{}
	for _, text := range f.targets {
		options := options
		if scheme, _, _ := strings.Cut(text, "://"); scheme != "tcp" && scheme != "tls" {
			options.Send = ""
		}
		target, err := probe.Parse(text, options)
		if err != nil {
			return nil, command.UsageErrorf("--probe: %w", err)
		}
		if seen[text] {
			return nil, command.UsageErrorf("--probe %s is given twice", text)
		}
		seen[text] = true
		if err := target.Check(ctx); err != nil {
			return nil, command.UsageErrorf("--probe: %w: see --allow-probe", err)
		}
		all = append(all, target)
	}
	return all, nil
}
