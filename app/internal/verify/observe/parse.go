package observe

import (
	"fmt"
	"net/netip"
	"regexp"
	"strings"
	"unicode"

	"github.com/slicewright/slicewright/app/internal/verify"
	"github.com/slicewright/slicewright/app/internal/verify/observe/dns"
	"github.com/slicewright/slicewright/app/internal/verify/observe/haproxy"
	"github.com/slicewright/slicewright/app/internal/verify/observe/kubeproxy"
	"github.com/slicewright/slicewright/app/internal/verify/observe/list"
	"github.com/slicewright/slicewright/app/internal/verify/observe/nginx"
	"github.com/slicewright/slicewright/app/internal/verify/observe/prometheus"
	"github.com/slicewright/slicewright/app/internal/verify/observe/xds"
)

// A kind is one kind of consumer: how the rest of its spec is parsed, and an
// example of a spec for error messages.
type kind struct {
	name    string
	example string
	parse   func(rest string) (Source, error)
}

var kinds = []kind{
	{"haproxy", "haproxy:/run/haproxy/admin.sock/BACKEND", func(rest string) (Source, error) { return haproxy.Parse(rest) }},
	{"nginx", "nginx:/etc/nginx/nginx.conf#UPSTREAM", func(rest string) (Source, error) { return nginx.Parse(rest) }},
	{"xds", "xds:127.0.0.1:18000/CLUSTER", func(rest string) (Source, error) { return xds.Parse(rest) }},
	{"kube-proxy", "kube-proxy:shop/web:http", func(rest string) (Source, error) { return kubeproxy.Parse(rest) }},
	{"dns", "dns:10.96.0.10/web.shop.svc.cluster.local", func(rest string) (Source, error) { return dns.Parse(rest) }},
	{"prometheus", "prometheus:http://127.0.0.1:9090#JOB", func(rest string) (Source, error) { return prometheus.Parse(rest) }},
	{"file", "file:/var/lib/lb/backends.txt", func(rest string) (Source, error) { return list.ParseFile(rest) }},
	{"http", "http:http://127.0.0.1:8080/backends", func(rest string) (Source, error) { return list.ParseURL(rest) }},
}

// Kinds lists the kinds of consumers, each with a spec as an example.
func Kinds() []string {
	examples := make([]string, len(kinds))
	for i, k := range kinds {
		examples[i] = k.example
	}
	return examples
}

// Parse returns an observer of the consumer that spec names. It reads nothing:
// that the consumer is there shows when it is observed. The observer's String is
// spec, without user and password in a URL. An error names spec and gives an
// example.
func Parse(spec string) (verify.Observer, error) {
	if strings.ContainsFunc(spec, unicode.IsControl) {
		return nil, fmt.Errorf("consumer %q: contains a control character", hidden(spec))
	}
	name, rest, found := strings.Cut(spec, ":")
	for _, k := range kinds {
		if !found || k.name != name {
			continue
		}
		source, err := k.parse(rest)
		if err != nil {
			return nil, fmt.Errorf("consumer %q: %w; an example: %s", hidden(spec), err, k.example)
		}
		return New(hidden(spec), source), nil
	}
	names := make([]string, len(kinds))
	for i, k := range kinds {
		names[i] = k.name
	}
	return nil, fmt.Errorf("consumer %q: is of no known kind (%s); an example: %s", hidden(spec), strings.Join(names, ", "), kinds[0].example)
}

var password = regexp.MustCompile(`//[^/?#]*@`)

// hidden is a spec without what may be a user and a password: it ends in reports.
func hidden(spec string) string { return password.ReplaceAllString(spec, "//…@") }

func unmap(address netip.AddrPort) netip.AddrPort {
	return netip.AddrPortFrom(address.Addr().Unmap(), address.Port())
}
