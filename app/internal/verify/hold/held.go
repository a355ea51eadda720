package hold

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"strconv"
	"sync"
	"time"
)

// held is one connection. run writes, a second goroutine reads, and over HTTP/2
// two more read frames and open streams.
type held struct {
	target *Target
	ready  chan struct{} // closed by run: the backend has answered, or will not

	mu      sync.Mutex // guards what follows
	result  Connection
	ledger  ledger
	http2   *http2Conn // nil for other protocols
	mute    bool       // no messages are sent, as nobody answers them
	leaving bool       // from here on what ends is our own doing
}

// run is the connection's life.
func (h *held) run(ctx context.Context) {
	ready := sync.OnceFunc(func() { close(h.ready) })
	defer ready()
	c, err := h.open(ctx)
	if err != nil {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.result.End = End{Kind: NotMade, At: time.Now(), Detail: err.Error()}
		return
	}
	var reading, asking sync.WaitGroup
	spoke, ended := make(chan struct{}), make(chan struct{})
	reading.Go(func() {
		defer close(ended)
		h.read(c, spoke)
	})
	if h.http2 != nil {
		asking.Go(func() { h.http2.ask(ctx) })
	}
	h.write(ctx, c, ready, spoke, ended)
	ready()
	if h.http2 != nil {
		// The connection outlives its stream: new streams go on over it.
		asking.Wait()
		select {
		case <-h.http2.done:
		case <-ctx.Done():
		}
	}
	h.lastAnswers(ended)
	h.mu.Lock()
	h.leaving = true
	h.mu.Unlock()
	c.goodbye()
	select {
	case <-ended:
	case <-time.After(h.target.options.Timeout):
	}
	c.cut()
	reading.Wait()
}

// open makes the connection.
func (h *held) open(ctx context.Context) (carrier, error) {
	t := h.target
	ctx, cancel := context.WithTimeout(ctx, t.options.Timeout)
	defer cancel()
	h.mu.Lock()
	h.result = Connection{Target: t.String(), Protocol: protocols[t.target.Scheme], Opened: time.Now(), End: End{Kind: Open}}
	h.ledger.names = t.options.Names
	h.mu.Unlock()
	dialer := t.options.Dialer
	dialer.Wrap = func(conn net.Conn) net.Conn { return &watched{Conn: conn, timeout: t.options.Timeout} }
	conn, err := dialer.Dial(ctx, t.target, t.secure(), alpn[t.target.Scheme]...)
	if err != nil {
		return nil, err
	}
	var c carrier
	var over2 *http2Conn
	switch protocols[t.target.Scheme] {
	case "tcp":
		c, err = openLines(conn, t)
	case "websocket":
		c, err = openWebSocket(ctx, conn, t)
	default:
		over2, err = openHTTP2(ctx, conn, t)
		c = over2
	}
	if err != nil {
		_ = conn.Close() // the error says more
		return nil, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.http2 = over2
	h.result.Local, h.result.Remote = addrPort(conn.LocalAddr()), addrPort(conn.RemoteAddr())
	return c, nil
}

// alpn is what a scheme offers in its handshake.
var alpn = map[string][]string{"wss": {"http/1.1"}, "h2": {"h2"}}

// read takes in what comes until the end.
func (h *held) read(c carrier, spoke chan<- struct{}) {
	first := sync.OnceFunc(func() { close(spoke) })
	for {
		line, err := c.receive()
		at := time.Now()
		h.mu.Lock()
		if err != nil {
			if !h.leaving {
				h.result.End = c.end(err)
				h.result.End.At = at
			}
			h.mu.Unlock()
			return
		}
		h.ledger.line(line, at)
		speaks := h.ledger.speaks()
		if speaks && h.result.Holder == (Backend{}) {
			h.result.Holder = backend(h.ledger.holder)
		}
		h.mu.Unlock()
		if speaks {
			first()
		}
	}
}

// write sends messages until ctx or what carries them ends.
func (h *held) write(ctx context.Context, c carrier, ready func(), spoke, ended <-chan struct{}) {
	ticker := time.NewTicker(h.target.options.Every)
	defer ticker.Stop()
	patience := time.NewTimer(h.target.options.Timeout)
	defer patience.Stop()
	sending := !h.target.options.Silent
	if !sending {
		h.setMute()
		ready()
	}
	for {
		if sending && !h.message(c) {
			sending = false // the reader finds out how it ended
		}
		select {
		case <-ticker.C:
		case <-spoke:
			spoke = nil
			patience.Stop()
			ready()
			// The next message has its time.
			select {
			case <-ticker.C:
			case <-ended:
				return
			case <-ctx.Done():
				return
			}
		case <-patience.C:
			if spoke != nil {
				sending = false
				h.setMute()
				ready()
			}
		case <-ended:
			return
		case <-ctx.Done():
			return
		}
	}
}

// message sends the next one, if it may. It reports false after an error.
func (h *held) message(c carrier) bool {
	h.mu.Lock()
	number, ok := h.ledger.next(time.Now())
	h.mu.Unlock()
	if !ok {
		return true
	}
	if err := c.send(strconv.FormatUint(number, 10)); err != nil {
		if errors.Is(err, errNotSent) {
			h.mu.Lock()
			h.ledger.unsend(number)
			h.mu.Unlock()
			return true
		}
		return false
	}
	return true
}

// errNotSent says that a message was not even begun and may come later.
var errNotSent = errors.New("no room to send")

func (h *held) setMute() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.mute = true
}

// lastAnswers waits until every message has its answer, for as long as that may
// take.
func (h *held) lastAnswers(ended <-chan struct{}) {
	deadline := time.NewTimer(h.target.options.Timeout)
	defer deadline.Stop()
	look := time.NewTicker(5 * time.Millisecond)
	defer look.Stop()
	for {
		h.mu.Lock()
		waiting := !h.mute && len(h.ledger.outstanding) > 0
		h.mu.Unlock()
		if !waiting {
			return
		}
		select {
		case <-look.C:
		case <-ended:
			return
		case <-deadline.C:
			return
		}
	}
}

// report is what is known now.
func (h *held) report() Connection {
	h.mu.Lock()
	defer h.mu.Unlock()
	c := h.result
	speaks := h.ledger.speaks()
	if h.http2 != nil {
		c.HTTP2 = h.http2.report()
	}
	if speaks {
		m := h.ledger.close(c.End, goodbye(c))
		c.Messages = &m
		c.LastHeard = h.ledger.heard
		c.Moves = append([]Move(nil), h.ledger.moves...)
	}
	if c.HTTP2 != nil {
		for _, s := range c.HTTP2.Streams {
			if c.Holder != (Backend{}) {
				break
			}
			c.Holder = s.Backend
		}
	}
	c.Clean = clean(c)
	return c
}

// clean reports whether it is open, or ended with a goodbye and with nothing
// lost.
func clean(c Connection) bool {
	return (c.End.Kind == Open || goodbye(c)) && (c.Messages == nil || c.Messages.Lost == 0)
}

// goodbye reports whether an end is the one of the protocol's.
func goodbye(c Connection) bool {
	switch c.End.Kind {
	case EndStream:
		return true
	case FIN:
		// The goodbye of TCP, and of no protocol above it: WebSocket has a close frame,
		// and HTTP/2 a GOAWAY and the end of each stream.
		switch {
		case c.Protocol == "websocket" || c.End.Detail != "":
			return false
		case c.HTTP2 != nil:
			return len(c.HTTP2.GoAways) > 0 && c.HTTP2.End == c.End // no stream was held
		}
		return true
	case CloseFrame:
		// Normal, going away, restart: what a server says that has finished.
		return c.End.Code == 1000 || c.End.Code == 1001 || c.End.Code == 1012
	}
	return false
}

func addrPort(address net.Addr) netip.AddrPort {
	if tcp, ok := address.(*net.TCPAddr); ok {
		p := tcp.AddrPort()
		return netip.AddrPortFrom(p.Addr().Unmap(), p.Port())
	}
	return netip.AddrPort{}
}
