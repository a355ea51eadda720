package kubelet

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"
)

// Long connections: a Pod answers numbered messages over TCP, WebSocket and
// HTTP/2 on the port on which it answers requests, as doc.go of the product's
// package verify/hold describes. This is an implementation of the lab's own, so
// that a misreading shows.

const (
	holdHello  = "hold/1\n" // a TCP client's first words
	holdHeader = "Slicewright-Hold"
	holdLine   = 512
)

// holds are a server's long connections.
type holds struct {
	leaving chan struct{} // closed by the first goodbye
	once    sync.Once
	running sync.WaitGroup

	mu    sync.Mutex
	conns map[*conn]int // guarded by mu: how many streams each holds
	gone  bool          // guarded by mu: no more are taken on
}

func newHolds() *holds { return &holds{leaving: make(chan struct{}), conns: map[*conn]int{}} }

// add takes one on, and reports false if it is too late for that.
func (h *holds) add(c *conn) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.gone {
		return false
	}
	h.conns[c]++
	h.running.Add(1) // before gone, so before the wait
	return true
}

func (h *holds) remove(c *conn) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.conns[c]--; h.conns[c] == 0 {
		delete(h.conns, c)
	}
	h.running.Done()
}

// goodbye asks all to end, each in the way of its protocol.
func (h *holds) goodbye() { h.once.Do(func() { close(h.leaving) }) }

// wait returns when all have ended or ctx has.
func (h *holds) wait(ctx context.Context) {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		h.running.Wait() // cut, which follows, ends what is left
	}()
	select {
	case <-ended:
	case <-ctx.Done():
	}
}

// cut ends all with RST.
func (h *holds) cut() {
	h.mu.Lock()
	h.gone = true
	for c := range h.conns {
		if tcp, ok := c.Conn.(*net.TCPConn); ok {
			_ = tcp.SetLinger(0)
		}
		_ = c.Conn.Close()
	}
	h.mu.Unlock()
	h.goodbye()
	h.running.Wait()
}

// holdListener gives the HTTP server connections that may turn out not to be
// HTTP's.
type holdListener struct {
	net.Listener
	server *Server
}

func (l holdListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &conn{Conn: c, server: l.server}, nil
}

// conn looks at the first words of a connection when the HTTP server reads
// them. Those of a TCP client that holds it take it away from the HTTP server, which
// sees it end. Nothing is read ahead of the HTTP server: it knows of every
// connection from its first moment, and waits for those that have just come.
type conn struct {
	net.Conn
	server *Server
	looked bool   // read by the one goroutine that reads
	rest   []byte // what was looked at and is not hello
	taken  atomic.Bool
}

func (c *conn) Read(into []byte) (int, error) {
	if !c.looked {
		first := make([]byte, len(holdHello))
		n := 0
		for n < len(first) && strings.HasPrefix(holdHello, string(first[:n])) {
			m, err := c.Conn.Read(first[n:])
			n += m
			if err != nil {
				if n == 0 {
					return 0, err // a deadline perhaps: it may be asked again
				}
				break
			}
		}
		c.looked = true
		if string(first[:n]) == holdHello && c.server.holds.add(c) {
			c.taken.Store(true)
			go c.hold() // until its remove
			return 0, io.EOF
		}
		c.rest = first[:n]
	}
	if c.taken.Load() {
		return 0, io.EOF // it asks again
	}
	if len(c.rest) > 0 {
		n := copy(into, c.rest)
		c.rest = c.rest[n:]
		return n, nil
	}
	return c.Conn.Read(into)
}

// What the HTTP server does to a connection that is no longer its own is not
// done.
func (c *conn) Close() error {
	if c.taken.Load() {
		return nil
	}
	return c.Conn.Close()
}

// CloseWrite lets the HTTP server end a connection gently.
func (c *conn) CloseWrite() error {
	if tcp, ok := c.Conn.(*net.TCPConn); ok && !c.taken.Load() {
		return tcp.CloseWrite()
	}
	return nil
}

func (c *conn) SetDeadline(t time.Time) error {
	if c.taken.Load() {
		return nil
	}
	return c.Conn.SetDeadline(t)
}

func (c *conn) SetReadDeadline(t time.Time) error {
	if c.taken.Load() {
		return nil
	}
	return c.Conn.SetReadDeadline(t)
}

func (c *conn) SetWriteDeadline(t time.Time) error {
	if c.taken.Load() {
		return nil
	}
	return c.Conn.SetWriteDeadline(t)
}

// hold answers lines until either side has had enough.
func (c *conn) hold() {
	defer c.server.holds.remove(c)
	defer c.Conn.Close()
	_ = c.Conn.SetDeadline(time.Time{})
	ended := make(chan struct{})
	defer close(ended)
	c.server.holds.running.Go(func() {
		select {
		case <-c.server.holds.leaving:
			_ = c.Conn.SetReadDeadline(time.Unix(1, 0))
		case <-ended:
		}
	})
	c.server.answerLines(c.Conn, c.Conn, c.LocalAddr(), func() error { return nil })
	// A FIN first, and then what is still unread: closing over it would be an RST.
	if tcp, ok := c.Conn.(*net.TCPConn); ok && tcp.CloseWrite() == nil {
		_ = tcp.SetReadDeadline(time.Now().Add(time.Second))
		_, _ = io.Copy(io.Discard, tcp)
	}
}

// answerLines answers each line that comes in with one that goes out.
func (s *Server) answerLines(in io.Reader, out io.Writer, local net.Addr, flush func() error) {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, holdLine)
	for count := 1; lines.Scan(); count++ {
		if _, err := io.WriteString(out, s.answerMessage(lines.Text(), count, local)+"\n"); err != nil || flush() != nil {
			return
		}
	}
}

// answerMessage is "NUMBER COUNT ADDRESS NAME".
func (s *Server) answerMessage(text string, count int, local net.Addr) string {
	s.note()
	number, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return "not a number"
	}
	return fmt.Sprintf("%d %d %s %s", number, count, local, s.identity.Name)
}

// held answers messages if a request asks for that, and reports whether it did.
func (s *Server) held(w http.ResponseWriter, r *http.Request) bool {
	socket := websocket.IsWebSocketUpgrade(r)
	if !socket && (r.Method != http.MethodPost || r.Header.Get(holdHeader) == "") {
		return false
	}
	local := r.Context().Value(http.LocalAddrContextKey).(net.Addr) // the HTTP server sets it
	c, _ := r.Context().Value(connKey{}).(*conn)
	if c == nil || !s.holds.add(c) {
		http.Error(w, "closing", http.StatusServiceUnavailable)
		return true
	}
	defer s.holds.remove(c)
	if socket {
		s.holdSocket(w, r, local)
	} else {
		s.holdStream(w, r, local)
	}
	return true
}

// connKey finds the connection of a request in its context.
type connKey struct{}

func withConn(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, c)
}

// holdStream is a request and its answer at the same time, over HTTP/2 or, from
// a proxy that speaks that to its servers, over HTTP/1.1.
func (s *Server) holdStream(w http.ResponseWriter, r *http.Request, local net.Addr) {
	control := http.NewResponseController(w)
	_ = control.EnableFullDuplex() // HTTP/2 does so anyway, and says that it cannot
	w.WriteHeader(http.StatusOK)
	if control.Flush() != nil {
		return
	}
	ended := make(chan struct{})
	defer close(ended)
	var waiting sync.WaitGroup
	defer waiting.Wait()
	waiting.Go(func() {
		select {
		case <-s.holds.leaving:
			_ = control.SetReadDeadline(time.Unix(1, 0)) // ends the reading, and with it the answer
		case <-ended:
		}
	})
	s.answerLines(r.Body, w, local, control.Flush)
}

func (s *Server) holdSocket(w http.ResponseWriter, r *http.Request, local net.Addr) {
	upgrader := websocket.Upgrader{CheckOrigin: func(*http.Request) bool { return true }}
	ws, err := upgrader.Upgrade(w, r, nil)
	if err != nil {
		return // it has said so
	}
	defer ws.Close()
	ws.SetReadLimit(holdLine)
	ended := make(chan struct{})
	defer close(ended)
	s.holds.running.Go(func() {
		select {
		case <-s.holds.leaving:
			goodbye := websocket.FormatCloseMessage(websocket.CloseGoingAway, "the Pod ends")
			_ = ws.WriteControl(websocket.CloseMessage, goodbye, time.Now().Add(time.Second))
			_ = ws.SetReadDeadline(time.Now().Add(time.Second)) // for the client's own
		case <-ended:
		}
	})
	for count := 1; ; count++ {
		kind, text, err := ws.ReadMessage()
		if err != nil || ws.WriteMessage(kind, []byte(s.answerMessage(string(text), count, local))) != nil {
			return
		}
	}
}
