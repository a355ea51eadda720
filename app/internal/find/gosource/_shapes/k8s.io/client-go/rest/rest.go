// Package rest is a stub with the shape of the real one.
package rest

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
)

type Config struct{}

type Interface interface {
	Get() *Request
	Post() *Request
	Put() *Request
	Delete() *Request
}

type Request struct{}

func (r *Request) Namespace(string) *Request                      { return r }
func (r *Request) Resource(string) *Request                       { return r }
func (r *Request) Name(string) *Request                           { return r }
func (r *Request) AbsPath(segments ...string) *Request            { return r }
func (r *Request) RequestURI(string) *Request                     { return r }
func (r *Request) Body(any) *Request                              { return r }
func (r *Request) Do(context.Context) Result                      { return Result{} }
func (r *Request) DoRaw(context.Context) ([]byte, error)          { return nil, nil }
func (r *Request) Watch(context.Context) (watch.Interface, error) { return nil, nil }

type Result struct{}

func (Result) Into(runtime.Object) error { return nil }
func (Result) Error() error              { return nil }

func InClusterConfig() (*Config, error)            { return nil, nil }
func RESTClientFor(c *Config) (*RESTClient, error) { return nil, nil }

type RESTClient struct{ Interface }
