package shadow

import (
	"maps"
	"net/netip"
	"strings"
	"testing"

	"github.com/slicewright/slicewright/endpointset"
)

const referenceText = `apiVersion: slicewright.dev/v1alpha1
kind: ShadowReference
services:
- service: shop/prices
  backends:
  - {port: http, endpoint: "10.0.0.1:8080"}
  - {port: dns, protocol: udp, endpoint: "[fd00::1]:53", notReady: true}
- service: shop/none
`

func TestAReference(t *testing.T) {
	got, err := ParseReference([]byte(referenceText))
	if err != nil {
		t.Fatal(err)
	}
	want := map[endpointset.ID]bool{
		{PortName: "http", Protocol: "TCP", Addr: netip.MustParseAddr("10.0.0.1"), Number: 8080}: true,
		{PortName: "dns", Protocol: "UDP", Addr: netip.MustParseAddr("fd00::1"), Number: 53}:     false,
	}
	if !maps.Equal(got[prices], want) {
		t.Errorf("read %v, want %v", got[prices], want)
	}
	if none := got[endpointset.ServiceKey{Namespace: "shop", Name: "none"}]; none == nil || len(none) > 0 {
		t.Errorf("a Service that shall have none: %v", none)
	}
}

func TestMistakesInAReference(t *testing.T) {
	for _, tt := range []struct{ name, old, new, want string }{
		{"another kind", "ShadowReference", "Reference", "not slicewright.dev/v1alpha1 ShadowReference"},
		{"another version", "v1alpha1", "v2", "not slicewright.dev/v1alpha1 ShadowReference"},
		{"a misspelt field", "notReady", "unready", "unready"},
		{"no namespace", "shop/prices", "prices", `services[0].service: "prices" is not NAMESPACE/NAME`},
		{"no name", "shop/prices", "shop/", `services[0].service: "shop/" is not NAMESPACE/NAME`},
		{"an empty namespace", "shop/prices", "/prices", `services[0].service: "/prices" is not NAMESPACE/NAME`},
		{"more than a name", "shop/prices", "shop/prices/http", `services[0].service: "shop/prices/http" is not NAMESPACE/NAME`},
		{"twice", "shop/none", "shop/prices", "shop/prices is there twice"},
		{"no port", "10.0.0.1:8080", "10.0.0.1", `services[0].backends[0]: endpoint: "10.0.0.1" is not IP:PORT`},
		{"port 0", "10.0.0.1:8080", "10.0.0.1:0", "is not IP:PORT"},
		{"another protocol", "udp", "icmp", `services[0].backends[1]: protocol: "icmp"`},
		{"nothing", referenceText, "apiVersion: slicewright.dev/v1alpha1\nkind: ShadowReference\n", "names no Service"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if !strings.Contains(referenceText, tt.old) {
				t.Fatal("the test replaces nothing")
			}
			_, err := ParseReference([]byte(strings.Replace(referenceText, tt.old, tt.new, 1)))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("the error is %v, want %q in it", err, tt.want)
			}
		})
	}
}

func FuzzParseReference(f *testing.F) {
	f.Add([]byte(referenceText))
	f.Fuzz(func(t *testing.T, data []byte) {
		all, err := ParseReference(data)
		if (err == nil) != (len(all) > 0) {
			t.Errorf("%d Services and error %v", len(all), err)
		}
		for key, set := range all {
			for id := range set {
				if !id.Addr.IsValid() || id.Number == 0 {
					t.Errorf("%s: %+v is no backend", key, id)
				}
			}
		}
	})
}
