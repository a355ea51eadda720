package kubelet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/slicewright/slicewright/internal/pause"
)

// Identity says who answered. It is the JSON body of every answer and, as
// X-Lab-… headers, its head.
type Identity struct {
	Name        string `json:"name"`
	Namespace   string `json:"namespace,omitempty"`
	UID         string `json:"uid,omitempty"`
	Node        string `json:"node,omitempty"`
	Zone        string `json:"zone,omitempty"`
	IP          string `json:"ip"`
	Port        int    `json:"port"`
	Terminating bool   `json:"terminating"`
	Protocol    string `json:"protocol"`
}

// Server answers on a Pod's addresses and ports, over HTTP/1.1 and over HTTP/2
// without TLS (by prior knowledge), gRPC's health checks among it. A path
// /slow?for=3s takes that long; /metrics is what Prometheus can read; /healthz
// fails while the Pod is to be not ready. It holds long connections too: hold.go.
type Server struct {
	identity    Identity
	answerAfter atomic.Int64 // nanoseconds
	terminating atomic.Bool
	requests    atomic.Int64
	lastRequest atomic.Int64 // Unix nanoseconds, 0 = none
	unwell      atomic.Bool

	holds     *holds
	http      *http.Server
	listeners []net.Listener
	accepting sync.WaitGroup
}

// Listen opens every port on every address and answers there. Without ports
// it answers nowhere.
func Listen(identity Identity, addresses []netip.Addr, ports []uint16) (*Server, error) {
	s := &Server{identity: identity, holds: newHolds()}
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	protocols.SetUnencryptedHTTP2(true)
	s.http = &http.Server{
		Handler:   s,
		Protocols: &protocols,
		// A client that opens a connection and says nothing does not hold a Pod.
		ReadHeaderTimeout: time.Minute,
		ConnContext:       withConn,
	}
	for _, address := range addresses {
		for _, port := range ports {
			listener, err := net.Listen("tcp", netip.AddrPortFrom(address, port).String())
			if err != nil {
				s.Close()
				return nil, fmt.Errorf("listen for %s: %w", identity.Name, err)
			}
			s.listeners = append(s.listeners, listener)
		}
	}
	for _, listener := range s.listeners {
		s.accepting.Go(func() {
			// It returns when the listener is closed, which is what ends a Pod.
			_ = s.http.Serve(holdListener{listener, s})
		})
	}
	return s, nil
}

// ServeHTTP says who we are, after the delay asked for.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s.held(w, r) {
		return
	}
	s.note()
	delay := time.Duration(s.answerAfter.Load())
	if r.URL.Path == "/slow" {
		d, err := ParseDelay(r.URL.Query().Get("for"))
		if err != nil {
			http.Error(w, "slow: "+err.Error(), http.StatusBadRequest)
			return
		}
		delay = d
	}
	if pause.For(r.Context(), delay) != nil {
		return
	}
	identity := s.identity
	identity.Terminating = s.terminating.Load()
	identity.Protocol = r.Proto
	if local, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr); ok {
		identity.IP, identity.Port = local.AddrPort().Addr().Unmap().String(), local.Port
	}
	header := w.Header()
	header.Set("X-Lab-Pod", identity.Name)
	header.Set("X-Lab-Namespace", identity.Namespace)
	header.Set("X-Lab-UID", identity.UID)
	header.Set("X-Lab-Node", identity.Node)
	header.Set("X-Lab-IP", identity.IP)
	header.Set("X-Lab-Port", strconv.Itoa(identity.Port))
	if isGRPC(r) {
		answerGRPC(w, r)
		return
	}
	if r.URL.Path == "/metrics" {
		header.Set("Content-Type", "text/plain; version=0.0.4")
		fmt.Fprintf(w, "# TYPE lab_requests_total counter\nlab_requests_total %d\n", s.requests.Load())
		return
	}
	header.Set("Content-Type", "application/json")
	if r.URL.Path == "/healthz" && s.unwell.Load() {
		w.WriteHeader(http.StatusServiceUnavailable)
	}
	_ = json.NewEncoder(w).Encode(identity) // the client went away: nobody to tell
}

// note counts a request, or a message of a long connection.
func (s *Server) note() {
	s.lastRequest.Store(time.Now().UnixNano())
	s.requests.Add(1)
}

// Well says whether /healthz is to succeed, which it does at first.
func (s *Server) Well(well bool) { s.unwell.Store(!well) }

// AnswerAfter sets how long every answer takes from now on.
func (s *Server) AnswerAfter(d time.Duration) { s.answerAfter.Store(int64(d)) }

// Terminating makes answers say that the Pod is being deleted.
func (s *Server) Terminating() { s.terminating.Store(true) }

// Served is how many requests arrived and when the last one did, the zero time
// if none.
func (s *Server) Served() (int64, time.Time) {
	last := s.lastRequest.Load()
	if last == 0 {
		return 0, time.Time{}
	}
	return s.requests.Load(), time.Unix(0, last)
}

// StopAccepting closes the listeners: a new connection is refused. Open
// connections live on.
func (s *Server) StopAccepting() {
	for _, listener := range s.listeners {
		_ = listener.Close()
	}
	s.accepting.Wait()
}

// Drain stops accepting, says goodbye on long connections, and returns when the
// last open request has been answered or ctx has ended.
func (s *Server) Drain(ctx context.Context) error {
	s.StopAccepting()
	s.holds.goodbye()
	if err := s.http.Shutdown(ctx); err != nil && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("drain %s: %w", s.identity.Name, err)
	}
	s.holds.wait(ctx)
	return ctx.Err()
}

// Close stops accepting and cuts what is open, long connections with RST.
func (s *Server) Close() {
	s.holds.cut()
	_ = s.http.Close()
	s.StopAccepting()
}
