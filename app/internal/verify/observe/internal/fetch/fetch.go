// Package fetch gets a bounded text over HTTP, for observers whose consumers
// speak it.
package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/slicewright/slicewright/internal/text"
)

// ErrNotFound: the answer was 404.
var ErrNotFound = errors.New("404 Not Found")

// ParseURL accepts absolute http and https URLs. What it says of a URL never
// holds its password.
func ParseURL(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil:
		// url.Parse's own error repeats the text with a password in it.
		return nil, errors.New("is not a URL")
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, errors.New("the URL starts neither with http:// nor with https://")
	case u.Hostname() == "":
		return nil, errors.New("the URL has no host")
	}
	return u, nil
}

// Get returns the body of a 200 answer of at most limit bytes. It follows no
// redirect: a consumer that sends elsewhere is not the one that was named. Each
// call is a connection of its own.
func Get(ctx context.Context, u *url.URL, limit int64) ([]byte, error) {
	transport := &http.Transport{
		Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true, MaxResponseHeaderBytes: 64 << 10, ForceAttemptHTTP2: true,
	}
	defer transport.CloseIdleConnections()
	client := &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, errors.New("the URL makes no request")
	}
	response, err := client.Do(request)
	if err != nil {
		return nil, err // names method and URL, without a password
	}
	defer response.Body.Close()
	shown := "Get " + u.Redacted()
	body, err := io.ReadAll(io.LimitReader(response.Body, limit+1))
	switch {
	case response.StatusCode == http.StatusNotFound:
		return nil, fmt.Errorf("%s: %w", shown, ErrNotFound)
	case response.StatusCode >= 300 && response.StatusCode < 400:
		return nil, fmt.Errorf("%s: the answer sends to %.200q; give that URL if it is the consumer's", shown, response.Header.Get("Location"))
	case response.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("%s: status %d: %s", shown, response.StatusCode, text.Excerpt(string(body), 200))
	case err != nil:
		return nil, fmt.Errorf("%s: %w", shown, err)
	case int64(len(body)) > limit:
		return nil, fmt.Errorf("%s: the answer is longer than %d bytes", shown, limit)
	}
	return body, nil
}
