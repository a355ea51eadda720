package producer

import (
	"errors"
	"net/netip"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/slicewright/slicewright/endpointset"
)

// What the API server would refuse is refused before the first write, and by
// its name.
func TestValidateNamesWhatIsWrong(t *testing.T) {
	addr := func(s string) Subset { return on(ports(http), Endpoint{Addr: netip.MustParseAddr(s)}) }
	with := func(change func(*Desired)) Desired {
		d := want(0, on(ports(http), ips(1, 1)...))
		change(&d)
		return d
	}
	many := func(n int) []endpointset.Port {
		list := make([]endpointset.Port, n)
		for i := range list {
			list[i] = endpointset.Port{Name: "p" + strings.Repeat("x", i%50) + string(rune('a'+i/50)), Number: uint16(i + 1)}
		}
		return list
	}
	tests := []struct {
		name    string
		desired Desired
		says    string // "" when all is well
	}{
		{"all is well", with(func(*Desired) {}), ""},
		{"no backends", want(0), ""},
		{"loopback", want(0, addr("127.0.0.7")), "address 127.0.0.7 is a loopback address"},
		{"loopback of IPv6", want(0, addr("::1")), "address ::1 is a loopback address"},
		{"loopback in disguise", want(0, addr("::ffff:127.0.0.1")), "loopback"},
		{"link-local", want(0, addr("169.254.169.254")), "address 169.254.169.254 is a link-local address"},
		{"link-local of IPv6", want(0, addr("fe80::1")), "address fe80::1 is a link-local address"},
		{"link-local multicast", want(0, addr("224.0.0.1")), "link-local multicast"},
		{"unspecified", want(0, addr("0.0.0.0")), "unspecified"},
		{"zoned", want(0, addr("2001:db8::1%eth0")), "zone"},
		{"no address", want(0, on(ports(http), Endpoint{})), "no address"},
		{"IPv4 in IPv6 is IPv4", want(0, addr("::ffff:10.0.0.1")), ""},
		{"the same twice", want(0, on(ports(http), ips(1, 1)...), on(ports(http, https), ips(1, 1)...)), "10.0.0.1 with port http:8080/TCP is there twice"},
		{"the same twice without ports", want(0, on(nil, ips(1, 1)[0], ips(1, 1)[0])), "is there twice"},
		{"two hosts at one address", want(0, on(ports(http), Endpoint{Addr: netip.MustParseAddr("10.0.0.1"), Hostname: "a"}, Endpoint{Addr: netip.MustParseAddr("10.0.0.1"), Hostname: "b"})), ""},
		{"a port name twice", want(0, on(ports(http, endpointset.Port{Name: "http", Number: 1}), ips(1, 1)...)), `port name "http" is there twice`},
		{"a port without a number", want(0, on(ports(endpointset.Port{Name: "x"}), ips(1, 1)...)), "no number"},
		{"a port of another protocol", want(0, on(ports(endpointset.Port{Number: 1, Protocol: "ICMP"}), ips(1, 1)...)), `protocol "ICMP"`},
		{"a port name that is none", want(0, on(ports(endpointset.Port{Name: "A_", Number: 1}), ips(1, 1)...)), `port name "A_"`},
		{"100 ports", want(0, on(many(100), ips(1, 1)...)), ""},
		{"101 ports", want(0, on(many(101), ips(1, 1)...)), "101 ports"},
		{"a hostname that is none", want(0, on(ports(http), Endpoint{Addr: netip.MustParseAddr("10.0.0.1"), Hostname: "a.b"})), `hostname "a.b"`},
		{"a node that is none", want(0, on(ports(http), Endpoint{Addr: netip.MustParseAddr("10.0.0.1"), Node: "A"})), `node "A"`},
		{"a zone that is none", want(0, on(ports(http), Endpoint{Addr: netip.MustParseAddr("10.0.0.1"), Zone: "a b"})), `zone "a b"`},
		{"a state that is none", want(0, on(ports(http), Endpoint{Addr: netip.MustParseAddr("10.0.0.1"), State: 9})), "unknown state 9"},
		{"a service without a name", with(func(d *Desired) { d.Service.Name = "" }), "no name"},
		{"a service with too long a name", with(func(d *Desired) { d.Service.Name = strings.Repeat("a", 64) }), "no slice can belong to it"},
		{"a namespace that is none", with(func(d *Desired) { d.Service.Namespace = "A" }), "namespace"},
		{"more than a slice holds", with(func(d *Desired) { d.MaxEndpoints = 1001 }), "1 to 1000"},
		{"a label that is none", with(func(d *Desired) { d.Labels = map[string]string{"a b": "c"} }), "label a b"},
		{"an annotation that is none", with(func(d *Desired) { d.Annotations = map[string]string{"a b": "c"} }), "annotation"},
		{"nobody manages it", with(func(d *Desired) { d.ManagedBy = "" }), "managed-by is empty"},
		{"a manager that is no label", with(func(d *Desired) { d.ManagedBy = "a b" }), `managed-by "a b"`},
		{"the controller's name", with(func(d *Desired) { d.ManagedBy = "endpointslice-controller.k8s.io" }), "belong to Kubernetes"},
		{"mirroring's name", with(func(d *Desired) { d.ManagedBy = "endpointslicemirroring-controller.k8s.io" }), "belong to Kubernetes"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			plan, err := tt.desired.Plan(nil)
			switch {
			case tt.says == "" && err != nil:
				t.Errorf("refused: %v", err)
			case tt.says != "" && (err == nil || !strings.Contains(err.Error(), tt.says)):
				t.Errorf("error %v, want one that says %q", err, tt.says)
			case tt.says != "" && !plan.Empty():
				t.Error("what is refused is planned in part")
			}
		})
	}
}

func TestValidateListsFewOfMany(t *testing.T) {
	var bad []Endpoint
	for i := range 5000 {
		bad = append(bad, Endpoint{Addr: netip.AddrFrom4([4]byte{127, 0, byte(i >> 8), byte(i)})})
	}
	err := want(0, on(ports(http), bad...)).Validate()
	if err == nil || len(err.Error()) > 4000 || !strings.Contains(err.Error(), "and 4990 more") {
		t.Errorf("5000 problems read as %d bytes", len(errors.Join(err).Error()))
	}
}

// A target's resourceVersion changes with every heartbeat of the target. It is
// not published, and no write follows from it.
func TestTargetVersionIsNoChange(t *testing.T) {
	at := func(version string) Desired {
		e := ips(1, 1)[0]
		e.Target = &corev1.ObjectReference{Kind: "VM", Name: "a", ResourceVersion: version}
		return want(0, on(ports(http), e))
	}
	w := newWorld()
	w.mustApply(t, at("1"))
	if n := w.mustApply(t, at("2")); n != 0 {
		t.Errorf("%d writes for a resourceVersion", n)
	}
}
