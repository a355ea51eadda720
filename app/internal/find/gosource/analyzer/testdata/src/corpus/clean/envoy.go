package clean

import (
	endpointv3 "github.com/envoyproxy/go-control-plane/envoy/config/endpoint/v3"
)

func envoy() int {
	cla := &endpointv3.ClusterLoadAssignment{ClusterName: "endpoints", Endpoints: nil}
	return len(cla.Endpoints) + len(cla.GetEndpoints())
}
