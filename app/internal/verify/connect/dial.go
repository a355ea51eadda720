package connect

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"syscall"
	"time"

	"github.com/slicewright/slicewright/app/internal/verify"
)

// ErrNotAllowed says that an address is not one to connect to.
var ErrNotAllowed = errors.New("not an allowed address")

// Dialer makes connections. It is safe for concurrent use; the zero value
// connects to anywhere.
type Dialer struct {
	// Allow is asked about every address just before it is connected to, after
	// names have been resolved, so that a name cannot come to mean another
	// address in between. Nothing is sent to an address that it returns an error
	// for. nil allows all.
	Allow func(netip.Addr) error
	// From is the address to connect from; the zero value leaves it to the
	// kernel.
	From netip.Addr
	// TLS is used for targets with TLS; nil means Go's defaults. A missing
	// ServerName is the target's host.
	TLS *tls.Config
	// Wrap, if not nil, is put around every TCP connection, below TLS.
	Wrap func(net.Conn) net.Conn
}

// Dial connects to a target, and does the handshake if secure. protocols are
// those to offer in it (ALPN). ctx bounds all of it.
func (d Dialer) Dial(ctx context.Context, t Target, secure bool, protocols ...string) (net.Conn, error) {
	plain := net.Dialer{ControlContext: d.control}
	// A keep-alive probe would be traffic that nobody asked for on a connection
	// whose silence is looked at.
	plain.KeepAlive = -1
	if d.From.IsValid() {
		plain.LocalAddr = net.TCPAddrFromAddrPort(netip.AddrPortFrom(d.From, 0))
	}
	conn, err := plain.DialContext(ctx, "tcp", t.HostPort())
	if err != nil {
		return nil, &Error{Step: StepConnect, Err: err}
	}
	if d.Wrap != nil {
		conn = d.Wrap(conn)
	}
	if !secure {
		return conn, nil
	}
	config := d.TLS.Clone()
	if config == nil {
		config = &tls.Config{}
	}
	if config.ServerName == "" {
		config.ServerName = t.Host
	}
	config.NextProtos = protocols
	encrypted := tls.Client(conn, config)
	if err := encrypted.HandshakeContext(ctx); err != nil {
		_ = conn.Close() // the handshake's error says more
		return nil, &Error{Step: StepTLS, Err: err}
	}
	if got := encrypted.ConnectionState().NegotiatedProtocol; len(protocols) == 1 && protocols[0] == "h2" && got != "h2" {
		_ = conn.Close()
		return nil, &Error{Step: StepTLS, Err: errors.New("the server does not offer HTTP/2 (ALPN h2)")}
	}
	return encrypted, nil
}

// Check resolves a target's host, and returns an error if one of its addresses
// is not allowed. It connects to nothing; Dial asks again, for what it connects
// to.
func (d Dialer) Check(ctx context.Context, t Target) error {
	addresses, err := net.DefaultResolver.LookupNetIP(ctx, "ip", t.Host)
	if err != nil {
		return fmt.Errorf("target %s: %w", t, err)
	}
	for _, address := range addresses {
		if err := d.allowed(address); err != nil {
			return fmt.Errorf("target %s: %w", t, err)
		}
	}
	return nil
}

func (d Dialer) allowed(address netip.Addr) error {
	if d.Allow == nil {
		return nil
	}
	address = address.Unmap().WithZone("")
	if err := d.Allow(address); err != nil {
		return fmt.Errorf("%s: %w: %w", address, ErrNotAllowed, err)
	}
	return nil
}

// control is called with the address that the kernel is about to be given.
func (d Dialer) control(_ context.Context, _, address string, _ syscall.RawConn) error {
	parsed, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("%s: %w", address, ErrNotAllowed)
	}
	return d.allowed(parsed.Addr())
}

// Within returns an Allow that allows what lies in one of prefixes.
func Within(prefixes ...netip.Prefix) func(netip.Addr) error {
	return func(address netip.Addr) error {
		for _, p := range prefixes {
			if p.Contains(address) {
				return nil
			}
		}
		return fmt.Errorf("it lies in none of %v", prefixes)
	}
}

// TLSConfig reads what a user says of TLS: a file of certificates to trust in
// place of the system's ("" for those), the name to ask for and to check ("" for
// the target's host), or that nothing is to be checked.
func TLSConfig(caFile, serverName string, insecure bool) (*tls.Config, error) {
	config := &tls.Config{ServerName: serverName, InsecureSkipVerify: insecure}
	if caFile == "" {
		return config, nil
	}
	pem, err := os.ReadFile(caFile)
	if err != nil {
		return nil, fmt.Errorf("read certificates to trust: %w", err)
	}
	config.RootCAs = x509.NewCertPool()
	if !config.RootCAs.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("%s holds no certificate in PEM form", caFile)
	}
	return config, nil
}

// Step is how far a connection got.
type Step string

// The steps.
const (
	StepConnect Step = "connect"
	StepTLS     Step = "tls"
)

// Error is a connection that was not made.
type Error struct {
	Step Step
	Err  error
}

func (e *Error) Error() string { return string(e.Step) + ": " + e.Err.Error() }
func (e *Error) Unwrap() error { return e.Err }

// Failure says in the terms of package verify what an error is: one of Dial, or
// one of reading and writing later. For nil it is the zero value.
func Failure(err error) verify.Failure {
	var failed *Error
	var network net.Error
	dial := errors.As(err, &failed)
	switch {
	case err == nil:
		return ""
	case errors.Is(err, ErrNotAllowed), errors.Is(err, context.Canceled):
		return verify.Other
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, syscall.ETIMEDOUT),
		errors.As(err, &network) && network.Timeout():
		return verify.Timeout
	case dial && failed.Step == StepTLS:
		return verify.TLS
	case dial && (errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, syscall.ECONNRESET)):
		return verify.Refused
	case dial:
		return verify.Other
	case Ended(err):
		return verify.Reset
	}
	return verify.Other
}

// Timeout is what a connection with its answer may take if nothing else is said:
// long enough for a loaded machine and short enough for a person.
const Timeout = 5 * time.Second
