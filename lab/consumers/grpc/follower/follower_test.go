package follower

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/resolver"
	"google.golang.org/grpc/resolver/manual"
)

// backend answers health checks as the lab's Pods do, and says who it is unless
// it is mute.
type backend struct {
	healthpb.UnimplementedHealthServer
	port int
	mute bool
}

func (b *backend) Check(ctx context.Context, _ *healthpb.HealthCheckRequest) (*healthpb.HealthCheckResponse, error) {
	if !b.mute {
		_ = grpc.SetHeader(ctx, metadata.Pairs("x-lab-pod", "web-1", "x-lab-ip", "127.0.0.1", "x-lab-port", strconv.Itoa(b.port)))
	}
	return &healthpb.HealthCheckResponse{Status: healthpb.HealthCheckResponse_SERVING}, nil
}

func serve(t *testing.T, mute bool) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer()
	healthpb.RegisterHealthServer(server, &backend{port: listener.Addr().(*net.TCPAddr).Port, mute: mute})
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(server.Stop)
	return listener.Addr().String()
}

// follow is a client whose resolver says what the test tells it to say.
func follow(t *testing.T) (*manual.Resolver, *Server) {
	t.Helper()
	told := manual.NewBuilderWithScheme("told")
	recorder := &Recorder{Builder: told}
	conn, err := grpc.NewClient("told:///web", grpc.WithResolvers(recorder),
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultServiceConfig(`{"loadBalancingConfig":[{"round_robin":{}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	conn.Connect()
	return told, &Server{Recorder: recorder, Conn: conn}
}

func get(handler http.HandlerFunc) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	handler(w, httptest.NewRequest(http.MethodGet, "/", nil))
	return w
}

func view(t *testing.T, s *Server) []string {
	t.Helper()
	var addresses []string
	if err := json.Unmarshal(get(s.view).Body.Bytes(), &addresses); err != nil || addresses == nil {
		t.Fatalf("the view is no list: %v", err)
	}
	return addresses
}

func TestViewIsWhatTheBalancerWasHanded(t *testing.T) {
	told, s := follow(t)
	if got := view(t, s); len(got) != 0 {
		t.Errorf("before the first state: %v", got)
	}
	for _, step := range []struct {
		state resolver.State
		want  []string
	}{
		{
			resolver.State{Addresses: []resolver.Address{{Addr: "10.0.0.2:80"}, {Addr: "10.0.0.1:80"}}},
			[]string{"10.0.0.1:80", "10.0.0.2:80"},
		},
		{
			resolver.State{Endpoints: []resolver.Endpoint{{Addresses: []resolver.Address{{Addr: "[fd00::1]:80"}}}}},
			[]string{"[fd00::1]:80"},
		},
		// The dialer takes a name for a port. Text that is not an address stays as
		// it is.
		{resolver.State{Addresses: []resolver.Address{{Addr: "10.0.0.1:http"}}}, []string{"10.0.0.1:80"}},
		{resolver.State{Addresses: []resolver.Address{{Addr: "fd00::1:80"}}}, []string{"fd00::1:80"}},
		{resolver.State{}, []string{}},
	} {
		told.UpdateState(step.state)
		if got := view(t, s); !reflect.DeepEqual(got, step.want) {
			t.Errorf("%v: the view is %v", step.state, got)
		}
	}
}

func TestAskIsOneCallAndSaysWhoAnswered(t *testing.T) {
	told, s := follow(t)
	address := serve(t, false)
	told.UpdateState(resolver.State{Addresses: []resolver.Address{{Addr: address}}})
	w := get(s.ask)
	var got Answer
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
		t.Fatalf("%s: %v", w.Body, err)
	}
	if want := (Answer{Name: "web-1", IP: "127.0.0.1", Port: got.Port, Peer: address}); got != want || !strings.HasSuffix(address, ":"+strconv.Itoa(got.Port)) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestAskSaysWhatWentWrong(t *testing.T) {
	told, s := follow(t)
	told.UpdateState(resolver.State{Addresses: []resolver.Address{{Addr: serve(t, true)}}})
	if w := get(s.ask); w.Code != http.StatusServiceUnavailable || !strings.Contains(w.Body.String(), "does not say who it is") {
		t.Errorf("a mute backend: %d %s", w.Code, w.Body)
	}
	told, s = follow(t)
	told.UpdateState(resolver.State{})
	if w := get(s.ask); w.Code != http.StatusServiceUnavailable || w.Body.Len() == 0 {
		t.Errorf("no backend: %d %s", w.Code, w.Body)
	}
}
