package connect_test

import (
	"context"
	"crypto/tls"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/slicewright/slicewright/app/internal/verify"
	"github.com/slicewright/slicewright/app/internal/verify/connect"
)

var schemes = map[string]connect.Scheme{"tcp": {}, "http": {Port: 80, Path: true}}

func parse(t *testing.T, text string) connect.Target {
	t.Helper()
	target, err := connect.ParseTarget(text, schemes, "tcp://10.0.0.1:80")
	if err != nil {
		t.Fatal(err)
	}
	return target
}

func TestTargetsAreRead(t *testing.T) {
	for text, want := range map[string]string{
		"tcp://10.0.0.1:80":          "10.0.0.1:80 ",
		"TCP://[fd00::1]:443/":       "[fd00::1]:443 ",
		"http://web.shop":            "web.shop:80 /",
		"http://web:8080/a%20b?c=d":  "web:8080 /a%20b?c=d",
		"http://[fd00::1]/x":         "[fd00::1]:80 /x",
		"http://10.0.0.1:65535?a=b":  "10.0.0.1:65535 /?a=b",
		"http://10.0.0.1:1/../x//y?": "10.0.0.1:1 /../x//y?",
	} {
		target := parse(t, text)
		if got := target.HostPort() + " " + target.Path; got != want {
			t.Errorf("%s is %s, want %s", text, got, want)
		}
		if target.String() != text {
			t.Errorf("%s calls itself %s", text, target)
		}
	}
}

func TestTargetsThatAreNone(t *testing.T) {
	for _, text := range []string{
		"", "10.0.0.1:80", "ftp://x:1", "tcp://10.0.0.1", "tcp://:80", "tcp://10.0.0.1:80/x", "tcp://10.0.0.1:0",
		"tcp://10.0.0.1:65536", "http://u:p@x/", "http://x/#f", "http://[fd00::1", "tcp://10.0.0.1:80?x", "http://a b/", "http://x/\x00",
	} {
		target, err := connect.ParseTarget(text, schemes, "tcp://10.0.0.1:80")
		if err == nil || !strings.Contains(err.Error(), "tcp://10.0.0.1:80") || strings.ContainsAny(err.Error(), "\x00\n") {
			t.Errorf("%q gave %+v, %v", text, target, err)
		}
	}
}

func TestATargetsPasswordIsNotShown(t *testing.T) {
	for _, text := range []string{"http://user:secret@x/", "http://user:sec\x01ret@x/", "ftp://user:secret@x/", "tcp://user:secret@x"} {
		if _, err := connect.ParseTarget(text, schemes, "tcp://10.0.0.1:80"); err == nil || strings.Contains(err.Error(), "ret@") {
			t.Errorf("%v", err)
		}
	}
}

// echo listens and says to each connection where it came from.
func echo(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			fmt.Fprint(conn, conn.RemoteAddr())
			conn.Close()
		}
	}()
	return "tcp://" + listener.Addr().String()
}

func TestWhatIsNotAllowedIsNotConnectedTo(t *testing.T) {
	target := parse(t, echo(t))
	asked := 0
	dialer := connect.Dialer{Allow: func(a netip.Addr) error {
		asked++
		return connect.Within(netip.MustParsePrefix("10.0.0.0/8"))(a)
	}}
	conn, err := dialer.Dial(t.Context(), target, false)
	if conn != nil || !errors.Is(err, connect.ErrNotAllowed) || asked != 1 || connect.Failure(err) != verify.Other {
		t.Errorf("connected %t, asked %d times: %v", conn != nil, asked, err)
	}
	if err := dialer.Check(t.Context(), target); !errors.Is(err, connect.ErrNotAllowed) || !strings.Contains(err.Error(), "127.0.0.1") {
		t.Errorf("Check: %v", err)
	}
	// The name is resolved first: what counts is what it means now.
	name := parse(t, strings.Replace(target.String(), "127.0.0.1", "localhost", 1))
	if _, err := dialer.Dial(t.Context(), name, false); !errors.Is(err, connect.ErrNotAllowed) {
		t.Errorf("by name: %v", err)
	}
	dialer.Allow = connect.Within(netip.MustParsePrefix("127.0.0.0/8"))
	// One address has several spellings.
	mapped := parse(t, strings.Replace(target.String(), "127.0.0.1", "[::ffff:127.0.0.1]", 1))
	if err := dialer.Check(t.Context(), mapped); err != nil {
		t.Errorf("mapped into IPv6: %v", err)
	}
	conn, err = dialer.Dial(t.Context(), target, false)
	if err != nil {
		t.Fatal(err)
	}
	conn.Close()
}

func TestConnectionComesFromTheAddressAskedFor(t *testing.T) {
	dialer := connect.Dialer{From: netip.MustParseAddr("127.0.0.9")}
	conn, err := dialer.Dial(t.Context(), parse(t, echo(t)), false)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if from, _ := io.ReadAll(conn); !strings.HasPrefix(string(from), "127.0.0.9:") {
		t.Errorf("came from %s", from)
	}
}

func TestHandshake(t *testing.T) {
	server := httptest.NewTLSServer(nil)
	defer server.Close()
	target := parse(t, strings.Replace(server.URL, "https", "tcp", 1))
	if _, err := (connect.Dialer{}).Dial(t.Context(), target, true); connect.Failure(err) != verify.TLS {
		t.Errorf("a certificate of nobody's: %v", err)
	}
	ca := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(ca, certificate(server.TLS), 0o600); err != nil {
		t.Fatal(err)
	}
	config, err := connect.TLSConfig(ca, "example.com", false)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := connect.Dialer{TLS: config}.Dial(t.Context(), target, true, "http/1.1")
	if err != nil {
		t.Fatal(err)
	}
	conn.Close()
	if _, err := (connect.Dialer{TLS: config}).Dial(t.Context(), target, true, "h2"); connect.Failure(err) != verify.TLS {
		t.Errorf("HTTP/2 of a server without: %v", err)
	}
	if config, err = connect.TLSConfig(ca, "other.example", false); err != nil {
		t.Fatal(err)
	}
	if _, err := (connect.Dialer{TLS: config}).Dial(t.Context(), target, true); connect.Failure(err) != verify.TLS {
		t.Errorf("another's name: %v", err)
	}
	insecure, err := connect.TLSConfig("", "", true)
	if err != nil {
		t.Fatal(err)
	}
	conn, err = connect.Dialer{TLS: insecure}.Dial(t.Context(), target, true)
	if err != nil {
		t.Fatal(err)
	}
	conn.Close()
	for _, file := range []string{"/nonexistent", os.Args[0]} {
		if _, err := connect.TLSConfig(file, "", false); err == nil {
			t.Errorf("%s is a file of certificates", file)
		}
	}
}

func TestFailuresHaveTheirKind(t *testing.T) {
	dial := func(err error) error { return &connect.Error{Step: connect.StepConnect, Err: err} }
	for _, c := range []struct {
		err  error
		want verify.Failure
	}{
		{nil, ""},
		{dial(syscall.ECONNREFUSED), verify.Refused},
		{dial(syscall.ECONNRESET), verify.Refused},
		{dial(syscall.EHOSTUNREACH), verify.Other},
		{dial(&net.DNSError{Err: "no such host", IsNotFound: true}), verify.Other},
		{dial(&net.DNSError{Err: "i/o timeout", IsTimeout: true}), verify.Timeout},
		{dial(context.DeadlineExceeded), verify.Timeout},
		{dial(context.Canceled), verify.Other},
		{&connect.Error{Step: connect.StepTLS, Err: io.EOF}, verify.TLS},
		{&connect.Error{Step: connect.StepTLS, Err: os.ErrDeadlineExceeded}, verify.Timeout},
		{syscall.ECONNRESET, verify.Reset},
		{io.EOF, verify.Reset},
		{fmt.Errorf("read: %w", io.ErrUnexpectedEOF), verify.Reset},
		{syscall.ETIMEDOUT, verify.Timeout},
		{errors.New("what is this"), verify.Other},
	} {
		if got := connect.Failure(c.err); got != c.want {
			t.Errorf("%v is %q, want %q", c.err, got, c.want)
		}
	}
}

func certificate(config *tls.Config) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: config.Certificates[0].Certificate[0]})
}
