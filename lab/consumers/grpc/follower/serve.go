package follower

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"time"

	"google.golang.org/grpc"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/peer"
)

// callTimeout is far above the time of a call in a lab, and below the time-out
// of the callers.
const callTimeout = 2 * time.Second

// Answer is who answered a call: what it says of itself, and the address that
// the connection leads to.
type Answer struct {
	Name string `json:"name"`
	IP   string `json:"ip"`
	Port int    `json:"port"`
	Peer string `json:"peer"`
}

// Server answers over HTTP for a gRPC client.
type Server struct {
	Recorder *Recorder
	// Conn is the client's connection. There is one as long as the program runs,
	// as in a real client: a new one would begin with a new resolver.
	Conn grpc.ClientConnInterface
}

// Serve listens until ctx ends.
func (s *Server) Serve(ctx context.Context, address string) error {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /view", s.view)
	mux.HandleFunc("GET /ask", s.ask)
	mux.HandleFunc("GET /state", s.state)
	server := &http.Server{Addr: address, Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	ended := make(chan error, 1)
	go func() { ended <- server.ListenAndServe() }()
	select {
	case err := <-ended:
		return fmt.Errorf("listen on %s: %w", address, err)
	case <-ctx.Done():
		err := server.Close()
		if end := <-ended; !errors.Is(end, http.ErrServerClosed) {
			err = errors.Join(err, end)
		}
		return err
	}
}

// view writes the addresses that the balancer has. A balancer that was never
// told of any has none.
func (s *Server) view(w http.ResponseWriter, _ *http.Request) {
	addresses, _, _ := s.Recorder.Addresses()
	dialled := make([]string, len(addresses))
	for i, a := range addresses {
		dialled[i] = asDialled(a)
	}
	write(w, dialled)
}

// asDialled is where gRPC connects to for an address: a port may be a name, which
// the dialer looks up ("http" is 80). What it can make nothing of stays.
func asDialled(address string) string {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return address
	}
	number, err := net.LookupPort("tcp", port)
	if err != nil {
		return address
	}
	return net.JoinHostPort(host, strconv.Itoa(number))
}

// state says more, for people.
func (s *Server) state(w http.ResponseWriter, _ *http.Request) {
	addresses, states, problem := s.Recorder.Addresses()
	write(w, map[string]any{"addresses": addresses, "states": states, "problem": problem})
}

// ask makes one call the way the balancer picks.
func (s *Server) ask(w http.ResponseWriter, r *http.Request) {
	answer, err := s.call(r.Context())
	if err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	write(w, answer)
}

func (s *Server) call(ctx context.Context) (Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	var header metadata.MD
	var from peer.Peer
	health := healthpb.NewHealthClient(s.Conn)
	if _, err := health.Check(ctx, &healthpb.HealthCheckRequest{}, grpc.Header(&header), grpc.Peer(&from)); err != nil {
		return Answer{}, err
	}
	answer := Answer{Name: first(header, "x-lab-pod"), IP: first(header, "x-lab-ip")}
	if from.Addr != nil {
		answer.Peer = from.Addr.String()
	}
	var err error
	if answer.Port, err = strconv.Atoi(first(header, "x-lab-port")); err != nil {
		return Answer{}, fmt.Errorf("%s answered and does not say who it is", answer.Peer)
	}
	return answer, nil
}

func first(md metadata.MD, key string) string {
	if values := md.Get(key); len(values) > 0 {
		return values[0]
	}
	return ""
}

func write(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v) // the client went away: nobody to tell
}
