package scrape

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"
)

// ErrNoCertificate says that a file of trusted certificates is without one.
var ErrNoCertificate = errors.New("holds no certificate in PEM")

// timeout bounds one request. A large metrics page takes some seconds.
const timeout = 2 * time.Minute

// NewClient makes the client of a [Scraper]. tokenFile has a bearer token, caFile
// the certificates to trust; "" is without. A caFile without a certificate gives an
// error that wraps [ErrNoCertificate].
func NewClient(tokenFile, caFile string) (*http.Client, error) {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	if caFile != "" {
		pem, err := os.ReadFile(caFile)
		if err != nil {
			return nil, fmt.Errorf("reading --ca-file: %w", err)
		}
		pool := x509.NewCertPool()
		if !pool.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("--ca-file %s %w", caFile, ErrNoCertificate)
		}
		transport.TLSClientConfig = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
	}
	client := &http.Client{Transport: transport, Timeout: timeout}
	if tokenFile != "" {
		b, err := os.ReadFile(tokenFile)
		if err != nil {
			return nil, fmt.Errorf("reading --bearer-token-file: %w", err)
		}
		client.Transport = bearer{strings.TrimSpace(string(b)), transport}
		// A token must not follow a redirect to another host.
		client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	}
	return client, nil
}

// bearer adds a token to each request.
type bearer struct {
	token string
	next  http.RoundTripper
}

// RoundTrip implements [http.RoundTripper].
func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.token)
	return b.next.RoundTrip(r)
}
