package hold

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"golang.org/x/net/http/httpguts"

	"github.com/slicewright/slicewright/app/internal/verify/connect"
	"github.com/slicewright/slicewright/app/internal/verify/identify"
)

// Options say how to hold connections. The zero value holds one.
type Options struct {
	connect.Dialer

	// Connections is how many are opened; 0 means 1.
	Connections int
	// Every is the time between two messages, and between two new streams of
	// HTTP/2; 0 means 200 ms.
	Every time.Duration
	// Timeout bounds the opening of a connection, each new stream, and the wait
	// for the last answers at the end; 0 means connect.Timeout.
	Timeout time.Duration
	// Silent sends nothing over a connection, for backends that know neither the
	// messages nor how to send back what they are sent.
	Silent bool
	// Header is sent with HTTP requests; a Host in it takes the place of the
	// target's.
	Header http.Header
	// Identify says how an HTTP answer tells who gave it; nil means
	// identify.Default. Messages tell by themselves.
	Identify identify.How
	// Names turns the names that backends call themselves into addresses; nil
	// knows none.
	Names identify.Names
}

// Example is one of each kind, for help texts and errors.
const Example = "tcp://10.0.0.1:6379, tls://10.0.0.1:443, ws://10.0.0.1/, wss://name/, h2c://10.0.0.1:8080/ (HTTP/2) or h2://name/ (HTTP/2 over TLS)"

var schemes = map[string]connect.Scheme{
	"tcp": {},
	"tls": {TLS: true},
	"ws":  {Port: 80, Path: true},
	"wss": {Port: 443, Path: true, TLS: true},
	"h2c": {Port: 80, Path: true},
	"h2":  {Port: 443, Path: true, TLS: true},
}

// protocols names what a report calls them.
var protocols = map[string]string{"tcp": "tcp", "tls": "tcp", "ws": "websocket", "wss": "websocket", "h2c": "http2", "h2": "http2"}

// maxConnections bounds what one target is asked to hold.
const maxConnections = 1000

// Target is where connections are held. It is safe for concurrent use.
type Target struct {
	target  connect.Target
	options Options
}

// Check says whether connections may be held there at all: an error names the
// address that is not allowed. Every connection asks again.
func (t *Target) Check(ctx context.Context) error { return t.options.Check(ctx, t.target) }

// Parse reads a target such as those of Example.
func Parse(target string, options Options) (*Target, error) {
	parsed, err := connect.ParseTarget(target, schemes, Example)
	if err != nil {
		return nil, err
	}
	if options.Connections == 0 {
		options.Connections = 1
	}
	if options.Every == 0 {
		options.Every = 200 * time.Millisecond
	}
	if options.Timeout == 0 {
		options.Timeout = connect.Timeout
	}
	if options.Identify == nil {
		options.Identify = identify.Default
	}
	t := &Target{target: parsed, options: options}
	if err := t.validate(); err != nil {
		return nil, fmt.Errorf("target %q: %w", target, err)
	}
	return t, nil
}

func (t *Target) validate() error {
	o := t.options
	if o.Connections < 0 || o.Connections > maxConnections {
		return fmt.Errorf("%d connections; between 1 and %d can be held", o.Connections, maxConnections)
	}
	if o.Every < 0 || o.Timeout < 0 {
		return errors.New("a negative time")
	}
	for name, values := range o.Header {
		for _, value := range values {
			if !httpguts.ValidHeaderFieldName(name) || !httpguts.ValidHeaderFieldValue(value) {
				return fmt.Errorf("%q: %q is no header", name, value)
			}
		}
	}
	return nil
}

// String is the target as it was given to Parse.
func (t *Target) String() string { return t.target.String() }

func (t *Target) secure() bool { return schemes[t.target.Scheme].TLS }

// host is what requests name.
func (t *Target) host() string {
	if host := t.options.Header.Get("Host"); host != "" {
		return host
	}
	return t.target.HostPort()
}
