package probe

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"golang.org/x/net/http/httpguts"

	"github.com/slicewright/slicewright/app/internal/verify"
	"github.com/slicewright/slicewright/app/internal/verify/connect"
	"github.com/slicewright/slicewright/app/internal/verify/identify"
)

// Options say how to probe. The zero value is one GET without TLS options and
// with the usual ways to tell who answered.
type Options struct {
	connect.Dialer

	// Timeout bounds one probe, from the name's resolution to the answer's last
	// byte; 0 means connect.Timeout.
	Timeout time.Duration
	// Method is the HTTP method, "" for GET.
	Method string
	// Header is sent with HTTP requests; a Host in it takes the place of the
	// target's.
	Header http.Header
	// Send is what TCP and TLS probes say first, "" for nothing: then the backend
	// has to speak first for its answer to tell anything.
	Send string
	// Identify says how an answer tells who gave it; nil means identify.Default.
	Identify identify.How
	// Names turns the names that backends call themselves into addresses; nil
	// knows none.
	Names identify.Names
}

// Example is one of each kind, for help texts and errors.
const Example = "http://10.0.0.1:8080/, https://name/, h2c://10.0.0.1:8080/ (HTTP/2), h2://name/ (HTTP/2 over TLS), tcp://10.0.0.1:6379 or tls://10.0.0.1:443"

var schemes = map[string]connect.Scheme{
	"http":  {Port: 80, Path: true},
	"https": {Port: 443, Path: true, TLS: true},
	"h2c":   {Port: 80, Path: true},
	"h2":    {Port: 443, Path: true, TLS: true},
	"tcp":   {},
	"tls":   {TLS: true},
}

// Target is where probes go. It implements verify.Prober and is safe for
// concurrent use.
type Target struct {
	target  connect.Target
	options Options
}

var _ verify.Prober = (*Target)(nil)

// Parse reads a target such as those of Example.
func Parse(target string, options Options) (*Target, error) {
	parsed, err := connect.ParseTarget(target, schemes, Example)
	if err != nil {
		return nil, err
	}
	if options.Timeout == 0 {
		options.Timeout = connect.Timeout
	}
	if options.Identify == nil {
		options.Identify = identify.Default
	}
	if options.Method == "" {
		options.Method = http.MethodGet
	}
	t := &Target{target: parsed, options: options}
	if err := t.validate(); err != nil {
		return nil, fmt.Errorf("target %q: %w", target, err)
	}
	return t, nil
}

func (t *Target) validate() error {
	if !t.http() {
		if strings.HasPrefix(t.options.Identify.String(), "header:") {
			return fmt.Errorf("%s has no headers to identify by", t.target.Scheme)
		}
		return nil
	}
	if t.options.Send != "" {
		return fmt.Errorf("what to send is for tcp and tls; %s sends requests", t.target.Scheme)
	}
	if !httpguts.ValidHeaderFieldName(t.options.Method) { // both are tokens
		return fmt.Errorf("%q is no method", t.options.Method)
	}
	for name, values := range t.options.Header {
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

// Check says whether the target may be probed at all: an error names the address
// that is not allowed. Every probe asks again, for the address that it uses.
func (t *Target) Check(ctx context.Context) error { return t.options.Check(ctx, t.target) }

// Probe makes one request over a new connection.
func (t *Target) Probe(ctx context.Context) (a verify.Answer) {
	a.Began = time.Now()
	defer func() { a.Ended = time.Now() }()
	ctx, cancel := context.WithTimeout(ctx, t.options.Timeout)
	defer cancel()
	if t.http() {
		t.request(ctx, &a)
	} else {
		t.talk(ctx, &a)
	}
	return a
}

func (t *Target) http() bool { return schemes[t.target.Scheme].Path }

// answered notes who gave an answer, or that it does not tell.
func (t *Target) answered(a *verify.Answer, who identify.Who, err error) {
	if err != nil {
		fail(a, verify.Unidentified, err.Error())
		if f := connect.Failure(err); f == verify.Timeout {
			a.Failure = f
		}
		return
	}
	who = who.Resolve(t.options.Names)
	a.From, a.Name = who.Address, who.Name
	if !who.Address.IsValid() {
		fail(a, verify.Unidentified, fmt.Sprintf("%q is the name of no backend with a known address", who.Name))
	}
}

func fail(a *verify.Answer, failure verify.Failure, detail string) {
	a.Failure, a.Detail = failure, detail
}
