// Package clientv3 is a stub with the shape of the real one.
package clientv3

import "context"

type Config struct{ Endpoints []string }
type Client struct{}

func New(Config) (*Client, error)                                { return nil, nil }
func (c *Client) Endpoints() []string                            { return nil }
func (c *Client) SetEndpoints(eps ...string)                     {}
func (c *Client) Get(ctx context.Context, k string) (any, error) { return nil, nil }
