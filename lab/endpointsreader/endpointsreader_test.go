package endpointsreader

//lint:file-ignore SA1019 reading the deprecated API is what this is for

import (
	"context"
	"io"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"testing"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"

	"github.com/slicewright/slicewright/lab/haproxy"
)

func endpoints(ips ...string) *v1.Endpoints {
	e := &v1.Endpoints{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "web"}}
	for _, ip := range ips {
		e.Subsets = append(e.Subsets, v1.EndpointSubset{
			Addresses: []v1.EndpointAddress{{IP: ip}}, NotReadyAddresses: []v1.EndpointAddress{{IP: "10.9.9.9"}},
			Ports: []v1.EndpointPort{{Name: "http", Port: 8080}, {Name: "metrics", Port: 9090}},
		})
	}
	return e
}

func TestARealHAProxyHasWhatEndpointsSay(t *testing.T) {
	dir := t.TempDir()
	const config = "global\n  stats socket unix@admin.sock level admin\ndefaults\n  mode http\n  timeout connect 1s\n  timeout client 1s\n  timeout server 1s\nbackend users\n  balance roundrobin\n"
	if err := os.WriteFile(filepath.Join(dir, "haproxy.cfg"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	h := haproxy.New(haproxy.Config{Dir: dir, File: "haproxy.cfg", Socket: "admin.sock", Log: filepath.Join(dir, "log")})
	if err := h.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Stop)
	c := Config{Namespace: "ns", Service: "web", Port: "http", HAProxy: h, Backend: "users", Out: io.Discard}
	store := cache.NewStore(cache.MetaNamespaceKeyFunc)
	for _, want := range [][]string{{"10.0.0.1", "fd00::1"}, {"10.0.0.1", "10.0.0.2"}, {}, {"10.0.0.3"}} {
		if err := store.Add(endpoints(want...)); err != nil {
			t.Fatal(err)
		}
		if err := c.follow(context.Background(), store); err != nil {
			t.Fatal(err)
		}
		servers, err := h.Servers(t.Context(), "users")
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, s := range servers {
			if s.Active() && s.Address.Port() == 8080 {
				got = append(got, s.Address.Addr().String())
			}
		}
		slices.SortFunc(got, func(a, b string) int { return netip.MustParseAddr(a).Compare(netip.MustParseAddr(b)) })
		if len(servers) != len(want) || !slices.Equal(got, want) && len(want) > 0 {
			t.Errorf("want %v, has %+v", want, servers)
		}
		// A second time there is nothing to do.
		if commands := plan("users", addresses(endpoints(want...), "http"), servers); len(commands) != 0 {
			t.Errorf("again: %v", commands)
		}
	}
}
