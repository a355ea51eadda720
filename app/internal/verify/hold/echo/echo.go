// Package echo is a backend that answers the messages of package verify/hold,
// over HTTP/2 without TLS, WebSocket and TCP, all on one port. To any other
// request it says who it is.
package echo

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gorilla/websocket"
)

// Server answers on the listeners that it is given. The zero value has no name;
// its methods are safe for concurrent use.
type Server struct {
	// Name is what it calls itself, a Pod's name for instance; no spaces. It is
	// set before Serve.
	Name string

	once    sync.Once
	http    *http.Server
	plain   *handedOver   // connections that are HTTP's
	leaving chan struct{} // closed by Shutdown

	mu      sync.Mutex // guards what follows
	conns   map[net.Conn]bool
	closers []io.Closer
	gone    bool
	running sync.WaitGroup
}

const (
	hello   = "hold/1\n"
	maxLine = 512
	// firstWords is how long a client may take to say anything.
	firstWords = time.Minute
)

func (s *Server) setUp() {
	s.once.Do(func() {
		s.leaving = make(chan struct{})
		s.conns = map[net.Conn]bool{}
		s.plain = &handedOver{conns: make(chan net.Conn), closed: make(chan struct{})}
		versions := new(http.Protocols)
		versions.SetHTTP1(true)
		versions.SetUnencryptedHTTP2(true)
		s.http = &http.Server{Handler: s, Protocols: versions, ReadHeaderTimeout: firstWords}
		s.running.Go(func() { _ = s.http.Serve(s.plain) }) // until Shutdown or Close
	})
}

// Serve answers until Shutdown or Close, and then returns nil; or until the
// listener fails.
func (s *Server) Serve(l net.Listener) error {
	s.setUp()
	if !s.keep(l, nil) {
		_ = l.Close()
		return nil
	}
	for {
		conn, err := l.Accept()
		if err != nil {
			s.mu.Lock()
			defer s.mu.Unlock()
			if s.gone {
				return nil
			}
			return err
		}
		s.running.Go(func() { s.sort(conn) })
	}
}

// keep remembers what there is to close, and reports false if it is too late.
func (s *Server) keep(closer io.Closer, conn net.Conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.gone {
		return false
	}
	if conn != nil {
		s.conns[conn] = true
	} else {
		s.closers = append(s.closers, closer)
	}
	return true
}

func (s *Server) forget(conn net.Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.conns, conn)
}

// sort finds out by its first bytes what a connection is.
func (s *Server) sort(conn net.Conn) {
	if !s.keep(conn, conn) {
		_ = conn.Close()
		return
	}
	in := bufio.NewReaderSize(conn, 4<<10)
	_ = conn.SetReadDeadline(time.Now().Add(firstWords)) // a read tells of what failed here
	first, err := in.Peek(len(hello))
	_ = conn.SetReadDeadline(time.Time{})
	if string(first) == hello {
		_, _ = in.Discard(len(hello)) // it is in the buffer
		defer s.forget(conn)
		defer conn.Close()
		s.lines(conn, in)
		return
	}
	if err != nil && len(first) == 0 {
		s.forget(conn)
		_ = conn.Close()
		return
	}
	// HTTP's server closes it, or Close does.
	select {
	case s.plain.conns <- &peeked{Conn: conn, in: in, forget: s.forget}:
	case <-s.plain.closed:
		_ = conn.Close()
	}
}

// lines answers messages over TCP.
func (s *Server) lines(conn net.Conn, in *bufio.Reader) {
	ended := make(chan struct{})
	defer close(ended)
	s.running.Go(func() {
		select {
		case <-s.leaving:
			_ = conn.SetReadDeadline(time.Unix(1, 0)) // ends what answer is reading
		case <-ended:
		}
	})
	s.answer(in, conn, conn.LocalAddr(), func() error { return nil })
	// The goodbye is a FIN. Closing with something unread would be an RST, so what
	// is on its way is taken first.
	if c, ok := conn.(interface{ CloseWrite() error }); ok && c.CloseWrite() == nil {
		_ = conn.SetReadDeadline(time.Now().Add(time.Second))
		_, _ = io.Copy(io.Discard, conn)
	}
}

// answer answers lines with lines until the end of either.
func (s *Server) answer(in *bufio.Reader, out io.Writer, local net.Addr, flush func() error) {
	for count := 1; ; count++ {
		line, err := in.ReadSlice('\n')
		if err != nil || len(line) > maxLine {
			return
		}
		if _, err := io.WriteString(out, s.reply(strings.TrimSpace(string(line)), count, local)+"\n"); err != nil || flush() != nil {
			return
		}
	}
}

// reply is the answer to a message; what is no number gets none that looks like
// one.
func (s *Server) reply(message string, count int, local net.Addr) string {
	number, err := strconv.ParseUint(message, 10, 64)
	if err != nil {
		return "error: a message is a number"
	}
	address := s.address(local)
	text, name := "-", s.Name
	if address.IsValid() {
		text = address.String()
	}
	if name == "" {
		name = "-"
	}
	return fmt.Sprintf("%d %d %s %s", number, count, text, name)
}

func (s *Server) address(local net.Addr) netip.AddrPort {
	if tcp, ok := local.(*net.TCPAddr); ok {
		p := tcp.AddrPort()
		return netip.AddrPortFrom(p.Addr().Unmap(), p.Port())
	}
	return netip.AddrPort{}
}

// ServeHTTP takes up WebSocket, holds streams, and says who it is.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.setUp()
	local, _ := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	switch {
	case websocket.IsWebSocketUpgrade(r):
		s.socket(w, r, local)
	case r.Method == http.MethodPost && r.Header.Get("Slicewright-Hold") != "":
		s.stream(w, r, local)
	default:
		identity := struct {
			Name string `json:"name,omitempty"`
			IP   string `json:"ip,omitempty"`
			Port uint16 `json:"port,omitempty"`
		}{Name: s.Name}
		if a := s.address(local); a.IsValid() {
			identity.IP, identity.Port = a.Addr().String(), a.Port()
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(identity) // the client went away: nobody to tell
	}
}

// stream answers messages in a body with lines in the answer's.
func (s *Server) stream(w http.ResponseWriter, r *http.Request, local net.Addr) {
	control := http.NewResponseController(w)
	// HTTP/1.1, which a proxy may speak to us, does not answer before the end of
	// the request unless told so. HTTP/2 always does, and does not know the call.
	_ = control.EnableFullDuplex()
	w.Header().Set("Content-Type", "text/plain")
	w.WriteHeader(http.StatusOK)
	if control.Flush() != nil {
		return
	}
	ended := make(chan struct{})
	var answering sync.WaitGroup
	answering.Go(func() {
		defer close(ended)
		s.answer(bufio.NewReaderSize(r.Body, maxLine+1), w, local, control.Flush)
	})
	select {
	case <-s.leaving:
		// Ends the reading, and with it the stream. Closing the body would wait for
		// the reading.
		_ = control.SetReadDeadline(time.Unix(1, 0))
	case <-ended:
	}
	answering.Wait()
}

// socket answers messages over WebSocket.
func (s *Server) socket(w http.ResponseWriter, r *http.Request, local net.Addr) {
	// A probe is no browser: there is no cookie that an origin could misuse.
	upgrader := websocket.Upgrader{CheckOrigin: func(*http.Request) bool { return true }}
	ws, err := upgrader.Upgrade(w, r, nil)
	if err != nil {
		return // it has answered
	}
	defer ws.Close()
	ws.SetReadLimit(maxLine)
	ended := make(chan struct{})
	defer close(ended)
	s.running.Go(func() {
		select {
		case <-s.leaving:
			text := websocket.FormatCloseMessage(websocket.CloseGoingAway, "")
			_ = ws.WriteControl(websocket.CloseMessage, text, time.Now().Add(time.Second))
			// The client's close frame ends the reading; one that sends none is not
			// waited for.
			_ = ws.SetReadDeadline(time.Now().Add(time.Second))
		case <-ended:
		}
	})
	for count := 1; ; count++ {
		kind, message, err := ws.ReadMessage()
		if err != nil {
			return
		}
		reply := s.reply(strings.TrimSpace(string(message)), count, local)
		if ws.WriteMessage(kind, []byte(reply)) != nil {
			return
		}
	}
}

// Shutdown accepts no more and says goodbye on every connection: a close frame
// to WebSocket (1001, going away), the end of the streams and GOAWAY over
// HTTP/2, FIN over TCP. It returns when all have ended or ctx has; then Close
// cuts the rest.
func (s *Server) Shutdown(ctx context.Context) error {
	if !s.leave() {
		return nil
	}
	close(s.leaving)
	err := s.http.Shutdown(ctx)
	ended := make(chan struct{})
	go func() { s.running.Wait(); close(ended) }()
	select {
	case <-ended:
	case <-ctx.Done():
		err = errors.Join(err, ctx.Err())
	}
	return err
}

// Close cuts every connection with RST.
func (s *Server) Close() {
	s.leave()
	s.mu.Lock()
	for conn := range s.conns {
		if c, ok := conn.(interface{ SetLinger(int) error }); ok {
			_ = c.SetLinger(0) // else the kernel would say FIN
		}
		_ = conn.Close()
	}
	s.mu.Unlock()
	_ = s.http.Close()
	s.running.Wait()
}

// leave closes the listeners. It reports whether this was the first call.
func (s *Server) leave() bool {
	s.setUp()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.gone {
		return false
	}
	s.gone = true
	for _, closer := range s.closers {
		_ = closer.Close()
	}
	return true
}
