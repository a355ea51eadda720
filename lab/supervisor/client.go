package supervisor

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
)

// Client asks things of a lab's supervisor.
type Client struct {
	state State
	http  *http.Client
}

// NewClient returns a client for the lab in state. It connects when asked.
func NewClient(state State) *Client {
	var dialer net.Dialer
	return &Client{state: state, http: &http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return dialer.DialContext(ctx, "unix", state.Socket())
		},
		DisableKeepAlives: true,
	}}}
}

// Status asks how the lab is. A lab that is starting answers, not ready.
func (c *Client) Status(ctx context.Context) (Status, error) {
	body, err := c.Do(ctx, http.MethodGet, "/status", nil)
	if err != nil {
		return Status{}, err
	}
	var status Status
	if err := json.Unmarshal(body, &status); err != nil {
		return Status{}, fmt.Errorf("read the lab's status: %w", err)
	}
	return status, nil
}

// Do sends one request and returns the answer's body. An answer that is no
// success is an error with its text.
func (c *Client) Do(ctx context.Context, method, path string, query url.Values) ([]byte, error) {
	return c.Send(ctx, method, path, query, nil)
}

// Send is Do with a body.
func (c *Client) Send(ctx context.Context, method, path string, query url.Values, content []byte) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, method, "http://lab"+path+"?"+query.Encode(), bytes.NewReader(content))
	if err != nil {
		return nil, fmt.Errorf("ask the lab: %w", err)
	}
	answer, err := c.http.Do(request)
	if err != nil {
		// The URL in the client's own error names no lab that anybody knows.
		var wrapped *url.Error
		if errors.As(err, &wrapped) {
			err = wrapped.Err
		}
		return nil, fmt.Errorf("ask the lab in %s: %w", c.state.Dir, err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		return nil, fmt.Errorf("read the lab's answer: %w", err)
	}
	if answer.StatusCode != http.StatusOK {
		return nil, errors.New(strings.TrimSpace(string(body)))
	}
	return body, nil
}
