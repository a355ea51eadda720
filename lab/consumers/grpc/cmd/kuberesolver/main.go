// Command kuberesolver is a gRPC client that finds its backends by kuberesolver,
// used as its documents show: in the cluster, by the port's name, with
// round_robin.
package main

import (
	"os"

	"github.com/sercand/kuberesolver/v6"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/slicewright/slicewright/lab/consumers/grpc/follower"
)

const scheme = "kubernetes"

func main() {
	os.Exit(follower.Client{
		Name:   "kuberesolver",
		Module: "github.com/sercand/kuberesolver/v6",
		Verbs:  []string{"get", "list", "watch"},
		Dial:   dial,
	}.Main())
}

func dial(namespace, service, port string) (grpc.ClientConnInterface, *follower.Recorder, error) {
	recorder := &follower.Recorder{Builder: kuberesolver.NewBuilder(nil, scheme)}
	target := scheme + "://" + namespace + "/" + service
	if port != "" {
		target += ":" + port
	}
	conn, err := grpc.NewClient(target,
		grpc.WithResolvers(recorder),
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultServiceConfig(`{"loadBalancingConfig":[{"round_robin":{}}]}`),
	)
	if err != nil {
		return nil, nil, err
	}
	// It resolves from now on, not from the first call on.
	conn.Connect()
	return conn, recorder, nil
}
