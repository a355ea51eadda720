package xds

import (
	"context"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	clusterv3 "github.com/envoyproxy/go-control-plane/envoy/config/cluster/v3"
	corev3 "github.com/envoyproxy/go-control-plane/envoy/config/core/v3"
	endpointv3 "github.com/envoyproxy/go-control-plane/envoy/config/endpoint/v3"
	discoveryv3 "github.com/envoyproxy/go-control-plane/envoy/service/discovery/v3"
	"github.com/envoyproxy/go-control-plane/pkg/cache/types"
	"github.com/envoyproxy/go-control-plane/pkg/cache/v3"
	"github.com/envoyproxy/go-control-plane/pkg/resource/v3"
	"github.com/envoyproxy/go-control-plane/pkg/server/v3"
	"go.uber.org/goleak"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/slicewright/slicewright/app/internal/verify"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// serve runs an xDS server until the test ends.
func serve(t testing.TB, ads discoveryv3.AggregatedDiscoveryServiceServer) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	g := grpc.NewServer()
	discoveryv3.RegisterAggregatedDiscoveryServiceServer(g, ads)
	done := make(chan struct{})
	go func() { defer close(done); _ = g.Serve(listener) }()
	t.Cleanup(func() { g.Stop(); <-done })
	return listener.Addr().String()
}

func endpoint(address string, port uint32, health corev3.HealthStatus) *endpointv3.LbEndpoint {
	return &endpointv3.LbEndpoint{
		HealthStatus:   health,
		HostIdentifier: &endpointv3.LbEndpoint_Endpoint{Endpoint: &endpointv3.Endpoint{Address: at(address, port)}},
	}
}

func at(address string, port uint32) *corev3.Address {
	return &corev3.Address{Address: &corev3.Address_SocketAddress{SocketAddress: &corev3.SocketAddress{
		Address: address, PortSpecifier: &corev3.SocketAddress_PortValue{PortValue: port},
	}}}
}

// assignment puts the nth list of endpoints into priority n.
func assignment(name string, priorities ...[]*endpointv3.LbEndpoint) *endpointv3.ClusterLoadAssignment {
	a := &endpointv3.ClusterLoadAssignment{ClusterName: name}
	for n, list := range priorities {
		a.Endpoints = append(a.Endpoints, &endpointv3.LocalityLbEndpoints{Priority: uint32(n), LbEndpoints: list})
	}
	return a
}

func healthy(addresses ...string) (list []*endpointv3.LbEndpoint) {
	for _, a := range addresses {
		list = append(list, endpoint(a, 8080, corev3.HealthStatus_HEALTHY))
	}
	return list
}

func edsCluster(name, serviceName string) *clusterv3.Cluster {
	return &clusterv3.Cluster{
		Name: name, ClusterDiscoveryType: &clusterv3.Cluster_Type{Type: clusterv3.Cluster_EDS},
		EdsClusterConfig: &clusterv3.Cluster_EdsClusterConfig{ServiceName: serviceName, EdsConfig: &corev3.ConfigSource{
			ConfigSourceSpecifier: &corev3.ConfigSource_Ads{Ads: &corev3.AggregatedConfigSource{}},
		}},
	}
}

func text(list []verify.Member, err error) string {
	if err != nil {
		return "error: " + err.Error()
	}
	var words []string
	for _, m := range list {
		words = append(words, fmt.Sprintf("%s %s %s", m.Address, m.Use, m.Detail))
		if m.Open != verify.Unknown || m.Total != verify.Unknown {
			words = append(words, "with counts")
		}
	}
	return strings.Join(words, "; ")
}

func view(t testing.TB, server, rest string) string {
	t.Helper()
	s, err := Parse(server + "/" + rest)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	return text(s.Members(ctx))
}

// go-control-plane's own server, in both of its modes: it waits for a client
// that asks for all endpoints, or it does not wait.
func TestRealServer(t *testing.T) {
	static := &clusterv3.Cluster{
		Name: "static", ClusterDiscoveryType: &clusterv3.Cluster_Type{Type: clusterv3.Cluster_STATIC},
		LoadAssignment: assignment("static", healthy("10.42.0.9")),
	}
	names := &clusterv3.Cluster{
		Name: "names", ClusterDiscoveryType: &clusterv3.Cluster_Type{Type: clusterv3.Cluster_STRICT_DNS},
		LoadAssignment: assignment("names", healthy("web.example")),
	}
	original := &clusterv3.Cluster{Name: "original", ClusterDiscoveryType: &clusterv3.Cluster_Type{Type: clusterv3.Cluster_ORIGINAL_DST}}
	custom := &clusterv3.Cluster{Name: "custom", ClusterDiscoveryType: &clusterv3.Cluster_ClusterType{
		ClusterType: &clusterv3.Cluster_CustomClusterType{Name: "envoy.clusters.aggregate"},
	}}
	for _, ads := range []bool{true, false} {
		snapshots := cache.NewSnapshotCache(ads, cache.IDHash{}, nil)
		set := func(node, version string, web ...string) {
			t.Helper()
			snapshot, err := cache.NewSnapshot(version, map[resource.Type][]types.Resource{
				resource.ClusterType: {
					edsCluster("web", ""), edsCluster("shop/api", "api-endpoints"), edsCluster("none", ""), static, names, original, custom,
				},
				resource.EndpointType: {
					assignment("web", healthy(web...)), assignment("none"),
					assignment("api-endpoints", []*endpointv3.LbEndpoint{
						endpoint("2001:db8::1", 80, corev3.HealthStatus_UNKNOWN), endpoint("10.42.0.3", 80, corev3.HealthStatus_DRAINING),
						endpoint("10.42.0.4", 80, corev3.HealthStatus_UNHEALTHY), endpoint("10.42.0.5", 80, corev3.HealthStatus_TIMEOUT),
						endpoint("10.42.0.6", 80, corev3.HealthStatus_DEGRADED),
					}),
				},
			})
			if err != nil {
				t.Fatal(err)
			}
			if err := snapshots.SetSnapshot(t.Context(), node, snapshot); err != nil {
				t.Fatal(err)
			}
		}
		set("slicewright", "1", "10.42.0.1", "10.42.0.2")
		set("edge-1", "1", "10.42.0.7")
		ctx, cancel := context.WithCancel(t.Context())
		address := serve(t, server.NewServer(ctx, snapshots, nil))
		for rest, want := range map[string]string{
			"web":             "10.42.0.1:8080 new HEALTHY; 10.42.0.2:8080 new HEALTHY",
			"web?node=edge-1": "10.42.0.7:8080 new HEALTHY",
			"none":            "",
			"static":          "10.42.0.9:8080 new HEALTHY",
			"shop/api":        "[2001:db8::1]:80 new UNKNOWN; 10.42.0.3:80 draining DRAINING; 10.42.0.4:80 idle UNHEALTHY; 10.42.0.5:80 idle TIMEOUT; 10.42.0.6:80 new DEGRADED",
			"missing":         `error: xds: cluster "missing" of ` + address + `: the server has no such cluster for node "slicewright" (it has 7 others)`,
			"names":           `error: xds: cluster "names" of ` + address + `: the endpoint "web.example" is no IP address: it cannot be held against slices`,
			"original":        `error: xds: cluster "original" of ` + address + `: it has type ORIGINAL_DST and no endpoints of its own`,
			"custom":          `error: xds: cluster "custom" of ` + address + `: it is of the custom type "envoy.clusters.aggregate", which is not read`,
		} {
			if got := view(t, address, rest); got != want {
				t.Errorf("ads=%v, %s: %s, want %s", ads, rest, got, want)
			}
		}
		if !ads {
			if got := view(t, address, "api-endpoints?type=eds"); !strings.HasPrefix(got, "[2001:db8::1]:80 new UNKNOWN;") {
				t.Errorf("EDS alone: %s", got)
			}
		}
		set("slicewright", "2", "10.42.0.8")
		if got := view(t, address, "web"); got != "10.42.0.8:8080 new HEALTHY" {
			t.Errorf("ads=%v, after a change: %s", ads, got)
		}
		// A node that the server does not know gets no answer.
		short, stop := context.WithTimeout(ctx, 100*time.Millisecond)
		unknown := &Source{Server: address, Cluster: "web", Node: "unknown"}
		if got := text(unknown.Members(short)); !strings.Contains(got, "DeadlineExceeded") || !strings.Contains(got, "may never answer") {
			t.Error(got)
		}
		stop()
		cancel()
	}
	if got := view(t, "127.0.0.1:1", "web"); !strings.Contains(got, "refused") {
		t.Errorf("nobody listens: %s", got)
	}
}

// odd is a server that answers a subscription as a test says, and nothing to an
// acknowledgement.
type odd struct {
	discoveryv3.UnimplementedAggregatedDiscoveryServiceServer
	answers map[string][]*discoveryv3.DiscoveryResponse // by type
	err     error
}

func (o odd) StreamAggregatedResources(stream discoveryv3.AggregatedDiscoveryService_StreamAggregatedResourcesServer) error {
	for {
		request, err := stream.Recv()
		if err != nil {
			return err
		}
		if request.GetResponseNonce() != "" {
			continue
		}
		if o.err != nil {
			return o.err
		}
		for _, a := range o.answers[request.GetTypeUrl()] {
			if err := stream.Send(a); err != nil {
				return err
			}
		}
	}
}

func response(t testing.TB, kind string, resources ...proto.Message) *discoveryv3.DiscoveryResponse {
	t.Helper()
	r := &discoveryv3.DiscoveryResponse{TypeUrl: kind, VersionInfo: "1", Nonce: "n"}
	for _, m := range resources {
		packed, err := anypb.New(m)
		if err != nil {
			t.Fatal(err)
		}
		r.Resources = append(r.Resources, packed)
	}
	return r
}

func TestOddServers(t *testing.T) {
	clusters := response(t, clusterType, edsCluster("web", ""))
	wrapped := func(m proto.Message) proto.Message {
		packed, err := anypb.New(m)
		if err != nil {
			t.Fatal(err)
		}
		return &discoveryv3.Resource{Name: "web", Resource: packed}
	}
	garbage := response(t, endpointType)
	garbage.Resources = []*anypb.Any{{TypeUrl: endpointType, Value: []byte("\xff\xff")}}
	huge := response(t, endpointType, wrapperspb.Bytes(make([]byte, maxMessage)))
	leds := assignment("web", nil)
	leds.Endpoints[0].LbConfig = &endpointv3.LocalityLbEndpoints_LedsClusterLocalityConfig{}
	pipe := &endpointv3.LbEndpoint{HostIdentifier: &endpointv3.LbEndpoint_Endpoint{Endpoint: &endpointv3.Endpoint{
		Address: &corev3.Address{Address: &corev3.Address_Pipe{Pipe: &corev3.Pipe{Path: "/x"}}},
	}}}
	for _, tc := range []struct {
		want      string
		endpoints []*discoveryv3.DiscoveryResponse
	}{
		// What is not ours comes first, and what is ours piece by piece.
		{"10.42.0.1:8080 new HEALTHY", []*discoveryv3.DiscoveryResponse{
			response(t, "type.googleapis.com/x"), response(t, endpointType, assignment("other", healthy("10.42.0.9"))),
			response(t, endpointType, wrapped(assignment("web", healthy("10.42.0.1")))),
		}},
		{"100 answers, and none", func() (all []*discoveryv3.DiscoveryResponse) {
			for range maxAnswers {
				all = append(all, response(t, endpointType, assignment("other")))
			}
			return all
		}()},
		{"does not decode", []*discoveryv3.DiscoveryResponse{garbage}},
		{"where envoy.config.endpoint.v3.ClusterLoadAssignment was asked for", []*discoveryv3.DiscoveryResponse{response(t, endpointType, edsCluster("web", ""))}},
		{"larger than max", []*discoveryv3.DiscoveryResponse{huge}},
		{"LEDS", []*discoveryv3.DiscoveryResponse{response(t, endpointType, leds)}},
		{"is no IP address", []*discoveryv3.DiscoveryResponse{response(t, endpointType, assignment("web", healthy("fe80::1%eth0")))}},
		{"has port 0", []*discoveryv3.DiscoveryResponse{response(t, endpointType, assignment("web", []*endpointv3.LbEndpoint{endpoint("10.0.0.1", 0, 0)}))}},
		{"has port 65536", []*discoveryv3.DiscoveryResponse{response(t, endpointType, assignment("web", []*endpointv3.LbEndpoint{endpoint("10.0.0.1", 65536, 0)}))}},
		{"unix socket", []*discoveryv3.DiscoveryResponse{response(t, endpointType, assignment("web", []*endpointv3.LbEndpoint{pipe}))}},
		{"only the name", []*discoveryv3.DiscoveryResponse{response(t, endpointType, assignment("web", []*endpointv3.LbEndpoint{{}}))}},
	} {
		address := serve(t, odd{answers: map[string][]*discoveryv3.DiscoveryResponse{clusterType: {clusters}, endpointType: tc.endpoints}})
		if got := view(t, address, "web"); !strings.Contains(got, tc.want) || strings.HasPrefix(got, "error") == strings.HasPrefix(tc.want, "10.") {
			t.Errorf("%s, want %s", got, tc.want)
		}
	}
	refusing := serve(t, odd{err: status.Error(codes.PermissionDenied, "not you")})
	if got := view(t, refusing, "web"); !strings.Contains(got, "not you") {
		t.Error(got)
	}
	if got := view(t, serve(t, &discoveryv3.UnimplementedAggregatedDiscoveryServiceServer{}), "web"); !strings.Contains(got, "Unimplemented") {
		t.Error(got)
	}
}

func TestPriorities(t *testing.T) {
	down := func(addresses ...string) (list []*endpointv3.LbEndpoint) {
		for _, a := range addresses {
			list = append(list, endpoint(a, 8080, corev3.HealthStatus_UNHEALTHY))
		}
		return list
	}
	for _, tc := range []struct {
		what       string
		assignment *endpointv3.ClusterLoadAssignment
		want       string
	}{
		{"the first carries all", assignment("web", healthy("10.0.0.1"), healthy("10.0.0.2")), "new idle"},
		{"the first is down", assignment("web", down("10.0.0.1"), healthy("10.0.0.2")), "idle new"},
		{"the first is empty", assignment("web", nil, healthy("10.0.0.2")), "new"},
		// 3 of 4 make 105 %, 1 of 2 makes 70 %.
		{"three quarters are enough", assignment("web", append(healthy("10.0.0.1", "10.0.0.2", "10.0.0.3"), down("10.0.0.4")...), healthy("10.0.0.5")), "new new new idle idle"},
		{"half is not", assignment("web", append(healthy("10.0.0.1"), down("10.0.0.2")...), healthy("10.0.0.3"), healthy("10.0.0.4")), "new idle new idle"},
		{"all are down", assignment("web", down("10.0.0.1"), down("10.0.0.2")), "idle idle"},
	} {
		list, err := members(tc.assignment)
		if err != nil {
			t.Fatal(err)
		}
		var words []string
		for _, m := range list {
			words = append(words, m.Use.String())
		}
		if got := strings.Join(words, " "); got != tc.want {
			t.Errorf("%s: %s, want %s", tc.what, got, tc.want)
		}
	}
	half := assignment("web", append(healthy("10.0.0.1"), down("10.0.0.2")...), healthy("10.0.0.3"))
	half.Policy = &endpointv3.ClusterLoadAssignment_Policy{OverprovisioningFactor: wrapperspb.UInt32(200)}
	if got := text(members(half)); !strings.HasSuffix(got, "10.0.0.3:8080 idle HEALTHY, priority 1") {
		t.Error(got)
	}
}

func TestAdditionalAddresses(t *testing.T) {
	e := endpoint("10.42.0.1", 8080, corev3.HealthStatus_HEALTHY)
	e.GetEndpoint().AdditionalAddresses = []*endpointv3.Endpoint_AdditionalAddress{{Address: at("2001:db8::1", 8080)}}
	if got := text(members(assignment("web", []*endpointv3.LbEndpoint{e}))); got != "10.42.0.1:8080 new HEALTHY; [2001:db8::1]:8080 new HEALTHY" {
		t.Error(got)
	}
	// What gets no connections need not be an IP address.
	named := endpoint("web.example", 8080, corev3.HealthStatus_UNHEALTHY)
	if got := text(members(assignment("web", []*endpointv3.LbEndpoint{named}))); got != "" {
		t.Error(got)
	}
}

func TestParse(t *testing.T) {
	for rest, want := range map[string]Source{
		"127.0.0.1:18000/web":                               {"127.0.0.1:18000", "web", "slicewright", false},
		"[::1]:18000/outbound|80||web.shop/x?node=edge%201": {"[::1]:18000", "outbound|80||web.shop/x", "edge 1", false},
		"xds.example:443/web?type=eds":                      {"xds.example:443", "web", "slicewright", true},
	} {
		if s, err := Parse(rest); err != nil || *s != want {
			t.Errorf("%s: %+v, %v", rest, s, err)
		}
	}
	for _, rest := range []string{"", "web", "127.0.0.1:18000", "127.0.0.1:18000/", "127.0.0.1/web", ":18000/web", "127.0.0.1:0/web", "127.0.0.1:x/web", "127.0.0.1:1/web?type=cds", "127.0.0.1:1/web?x=1", "unix:///x/web"} {
		if s, err := Parse(rest); err == nil {
			t.Errorf("%q is taken: %+v", rest, s)
		}
	}
}

// FuzzAssignment: any bytes that decode give members or an error.
func FuzzAssignment(f *testing.F) {
	for _, a := range []*endpointv3.ClusterLoadAssignment{
		assignment("web", healthy("10.0.0.1", "::1"), healthy("10.0.0.2")), assignment("web", []*endpointv3.LbEndpoint{{}}),
	} {
		wire, err := proto.Marshal(a)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(wire)
	}
	f.Fuzz(func(t *testing.T, wire []byte) {
		a := &endpointv3.ClusterLoadAssignment{}
		if unpack(&anypb.Any{TypeUrl: endpointType, Value: wire}, a) != nil {
			return
		}
		list, err := members(a)
		if err != nil {
			return
		}
		for _, m := range list {
			if !m.Address.IsValid() || m.Address.Port() == 0 || m.Use == 0 {
				t.Errorf("%+v", m)
			}
		}
	})
}
