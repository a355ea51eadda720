package hold

import (
	"fmt"
	"net/netip"
	"time"

	"github.com/slicewright/slicewright/app/internal/verify"
	"github.com/slicewright/slicewright/app/internal/verify/identify"
)

// Report says what became of every connection, in the order in which they were
// opened.
type Report struct {
	Connections []Connection `json:"connections"`
}

// Backend is who held a connection or answered a stream.
type Backend struct {
	// Address is the zero value, and left out in JSON, if it is not known; so is an
	// empty Name. A port of 0 is not known either.
	Address netip.AddrPort `json:"address,omitzero"`
	Name    string         `json:"name,omitempty"`
}

func backend(who identify.Who) Backend { return Backend{Address: who.Address, Name: who.Name} }

// String is "NAME (ADDRESS)", the one that is known, or "unknown".
func (b Backend) String() string {
	if b == (Backend{}) {
		return "unknown"
	}
	return identify.Who{Address: b.Address, Name: b.Name}.String()
}

// EndKind says how something ended, as seen from the client.
type EndKind string

// The ends.
const (
	// Open: it had not ended when the report was made.
	Open EndKind = "open"
	// NotMade: there was no connection.
	NotMade EndKind = "not-made"
	// FIN: the other side closed the connection.
	FIN EndKind = "fin"
	// RST: the other side cut the connection.
	RST EndKind = "rst"
	// CloseFrame: WebSocket's close frame. Code is its status.
	CloseFrame EndKind = "close-frame"
	// EndStream: an HTTP/2 stream ended in order.
	EndStream EndKind = "end-stream"
	// ResetStream: RST_STREAM. Code is HTTP/2's error code.
	ResetStream EndKind = "rst-stream"
	// NoStream: the backend answered the POST with an error status: it holds no
	// streams. Code is the status.
	NoStream EndKind = "no-stream"
	// Failed: any other error, such as an error of the protocol.
	Failed EndKind = "failed"
)

// End is how and when something ended.
type End struct {
	Kind EndKind `json:"kind"`
	// At is the zero value while it is open.
	At time.Time `json:"at,omitzero"`
	// Code is the protocol's, 0 if the protocol has no code.
	Code int `json:"code,omitempty"`
	// Detail says more in words, "" if there is nothing to say. It can hold what
	// the other side sent, quoted.
	Detail string `json:"detail,omitempty"`
}

// Connection is one connection that was held.
type Connection struct {
	// Target is as given, Protocol "tcp", "websocket" or "http2".
	Target   string `json:"target"`
	Protocol string `json:"protocol"`
	// Local and Remote are its ends, zero if it was not made. By Local a load
	// balancer's log or table of sessions names it.
	Local  netip.AddrPort `json:"local,omitzero"`
	Remote netip.AddrPort `json:"remote,omitzero"`
	Opened time.Time      `json:"opened"`
	// Holder answered first; zero if nobody says who it is.
	Holder Backend `json:"holder,omitzero"`
	// End is that of what carries the messages: the connection, or over HTTP/2 the
	// stream.
	End End `json:"end"`
	// Clean: it is open still, or it ended in the way in which its protocol says
	// goodbye; and no message was lost.
	Clean bool `json:"clean"`
	// Messages is nil if the backend answers none. LastHeard is when the last
	// answer came.
	Messages  *Messages `json:"messages,omitempty"`
	LastHeard time.Time `json:"lastHeard,omitzero"`
	// Moves lists the times when another backend went on with it.
	Moves []Move `json:"moves,omitempty"`
	// HTTP2 is nil for other protocols.
	HTTP2 *HTTP2 `json:"http2,omitempty"`
}

// HTTP2 is what only an HTTP/2 connection has.
type HTTP2 struct {
	// End is that of the connection, which can outlive its stream.
	End End `json:"end"`
	// GoAways lists the GOAWAY frames; after the first no stream was opened.
	GoAways []GoAway `json:"goAways,omitempty"`
	// Streams are the requests that were made on the connection beside the held
	// stream, in the order of their beginning.
	Streams []Stream `json:"streams"`
	// StreamsNotKept counts those beyond what a report holds.
	StreamsNotKept int `json:"streamsNotKept,omitempty"`
}

// GoAway is a frame of that name.
type GoAway struct {
	At         time.Time `json:"at"`
	LastStream uint32    `json:"lastStream"`
	Code       uint32    `json:"code"`
	// Debug is what the other side added, quoted.
	Debug string `json:"debug,omitempty"`
}

// Stream is one request over a held connection.
type Stream struct {
	Began   time.Time      `json:"began"`
	Ended   time.Time      `json:"ended"`
	Backend Backend        `json:"backend,omitzero"`
	Failure verify.Failure `json:"failure,omitempty"`
	Detail  string         `json:"detail,omitempty"`
}

// After is what became of a connection once its holder was on its way out.
type After struct {
	// Outlived is how long the connection went on; 0 if it had ended before.
	Outlived time.Duration
	// Open: it had not ended when the report was made.
	Open bool
	// ToHolder and Elsewhere count the new streams that began after that moment, by
	// who answered; Failed those that nobody did. All are 0 without HTTP/2.
	ToHolder, Elsewhere, Failed int
}

// After holds a connection against the moment when its holder began to
// terminate. now is when the report was made.
func (c Connection) After(terminating, now time.Time) After {
	end := c.End
	if c.HTTP2 != nil {
		end = c.HTTP2.End
	}
	a := After{Open: end.Kind == Open}
	if a.Open {
		end.At = now
	}
	a.Outlived = max(0, end.At.Sub(terminating))
	if c.HTTP2 == nil {
		return a
	}
	for _, s := range c.HTTP2.Streams {
		switch {
		case s.Began.Before(terminating):
		case s.Backend == (Backend{}):
			a.Failed++
		case same(s.Backend, c.Holder):
			a.ToHolder++
		default:
			a.Elsewhere++
		}
	}
	return a
}

// same compares by address if both have one: one answer can tell a port or a
// name, and another not.
func same(a, b Backend) bool {
	if a.Address.IsValid() && b.Address.IsValid() {
		p, q := a.Address.Port(), b.Address.Port()
		return a.Address.Addr() == b.Address.Addr() && (p == q || p == 0 || q == 0)
	}
	return a.Name == b.Name
}

// Problems says in words what should not have been: messages that were lost or
// came twice or out of order, a move to another backend, an end without a
// goodbye. nil is the good case; an open connection has none by being open.
func (c Connection) Problems() []string {
	var problems []string
	add := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	switch c.End.Kind {
	case NotMade:
		add("no connection: %s", c.End.Detail)
		return problems
	case RST, Failed, ResetStream:
		add("ended without a goodbye: %s", c.End)
	case FIN:
		if !c.Clean {
			add("ended in the middle: %s", c.End)
		}
	case CloseFrame:
		if !c.Clean {
			add("ended with: %s", c.End)
		}
	}
	if m := c.Messages; m != nil {
		for _, count := range []struct {
			n    uint64
			what string
		}{
			{m.Lost, "lost"},
			{m.Duplicated, "answered twice"},
			{m.Reordered, "answered out of order"},
		} {
			if count.n > 0 {
				add("%d of %d messages %s", count.n, m.Sent, count.what)
			}
		}
	}
	for _, move := range c.Moves {
		add("moved from %s to %s", move.From, move.To)
	}
	return problems
}

// String is the kind with its code and detail: "rst", "close-frame 1001".
func (e End) String() string {
	text := string(e.Kind)
	if e.Code != 0 {
		text += fmt.Sprintf(" %d", e.Code)
	}
	if e.Detail != "" {
		text += " (" + e.Detail + ")"
	}
	return text
}
