// Command gozero is a gRPC client made by go-zero's zrpc, which finds its
// backends by the Kubernetes resolver in it, with go-zero's own balancer
// (p2c_ewma) as every zrpc client has.
package main

import (
	"errors"
	"os"

	"github.com/zeromicro/go-zero/zrpc"
	"google.golang.org/grpc"
	"google.golang.org/grpc/resolver"

	"github.com/slicewright/slicewright/lab/consumers/grpc/follower"
)

const scheme = "k8s"

func main() {
	os.Exit(follower.Client{
		Name:   "gozero",
		Module: "github.com/zeromicro/go-zero",
		Verbs:  []string{"get", "list", "watch"},
		Dial:   dial,
	}.Main())
}

func dial(namespace, service, port string) (grpc.ClientConnInterface, *follower.Recorder, error) {
	// Importing zrpc registered it.
	builder := resolver.Get(scheme)
	if builder == nil {
		return nil, nil, errors.New("go-zero has no resolver for " + scheme)
	}
	recorder := &follower.Recorder{Builder: builder}
	target := scheme + "://" + namespace + "/" + service
	if port != "" {
		target += ":" + port // a number: zrpc takes no name
	}
	client, err := zrpc.NewClientWithTarget(target, zrpc.WithDialOption(grpc.WithResolvers(recorder)))
	if err != nil {
		return nil, nil, err
	}
	client.Conn().Connect()
	return client.Conn(), recorder, nil
}
