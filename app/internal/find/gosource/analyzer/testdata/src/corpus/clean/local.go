// Package clean has endpoints of many kinds, none of them Kubernetes'.
package clean

import "context"

// Endpoints is a type of one's own.
type Endpoints struct{ Subsets []string }

// EndpointsInterface is, too.
type EndpointsInterface interface {
	List(ctx context.Context) (*Endpoints, error)
	Get(ctx context.Context, name string) (*Endpoints, error)
}

type api struct{}

func (api) Endpoints(ns string) EndpointsInterface { return nil }
func (a api) CoreV1() api                          { return a }

func local(ctx context.Context, a api) {
	_, _ = a.CoreV1().Endpoints("prod").List(ctx)
	_, _ = a.Endpoints("prod").Get(ctx, "web")
	_ = &Endpoints{}
}
