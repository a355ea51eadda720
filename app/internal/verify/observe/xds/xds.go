// Package xds asks an xDS server for the endpoints of a cluster, as Envoy and gRPC
// do: over the aggregated stream of version 3, state of the world, without TLS.
//
// It asks for all clusters (CDS), since servers may refuse to name one alone, and
// for the endpoints (EDS) of all that have theirs there, since a server that keeps
// its answers consistent may wait for a client that knows all. A cluster with
// endpoints of its own (STATIC) is read from CDS. With type=eds, CDS is left out,
// for servers that have none.
//
// What a client does with an endpoint follows from its health status:
//
//   - new: HEALTHY, UNKNOWN, and DEGRADED, which clients use when too few are healthy;
//   - draining: DRAINING;
//   - idle: UNHEALTHY, TIMEOUT, and endpoints of a priority that needs no traffic
//     because enough endpoints of the priorities before it are healthy.
//
// A cluster that the server does not have is an error, as is a server that never
// answers for it. A cluster with an empty list of endpoints is empty.
//
// This is what the server hands out. What a certain Envoy has taken of it, its own
// health checks, outlier detection, its panic threshold (too few healthy: all are
// used), subsets and locality weights are not known, and neither are connections.
package xds

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"

	clusterv3 "github.com/envoyproxy/go-control-plane/envoy/config/cluster/v3"
	corev3 "github.com/envoyproxy/go-control-plane/envoy/config/core/v3"
	endpointv3 "github.com/envoyproxy/go-control-plane/envoy/config/endpoint/v3"
	discoveryv3 "github.com/envoyproxy/go-control-plane/envoy/service/discovery/v3"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"

	"github.com/slicewright/slicewright/app/internal/verify"
	"github.com/slicewright/slicewright/app/internal/verify/observe/internal/options"
)

const (
	clusterType  = "type.googleapis.com/envoy.config.cluster.v3.Cluster"
	endpointType = "type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment"

	// defaultNode is what the observer calls itself if it is not told otherwise.
	defaultNode = "slicewright"
	// maxMessage bounds one answer of the server; an endpoint takes some 50 bytes.
	maxMessage = 64 << 20
	// maxAnswers bounds how many answers are read while waiting for the one that
	// has the cluster.
	maxAnswers = 100
)

// Source is one cluster of one xDS server.
type Source struct {
	// Server is "host:port".
	Server string
	// Cluster is the cluster's name, or with EDSOnly that of its endpoints.
	Cluster string
	// Node is the node's ID: servers decide by it what a client gets.
	Node string
	// EDSOnly leaves CDS out.
	EDSOnly bool
}

// Parse parses "HOST:PORT/CLUSTER[?node=ID&type=eds]". CLUSTER may have slashes.
func Parse(rest string) (*Source, error) {
	head, values, err := options.Split(rest, "node", "type")
	if err != nil {
		return nil, err
	}
	server, cluster, ok := strings.Cut(head, "/")
	host, port, err := net.SplitHostPort(server)
	n, errPort := strconv.ParseUint(port, 10, 16)
	switch {
	case !ok || cluster == "":
		return nil, errors.New("is not HOST:PORT/CLUSTER")
	case err != nil || errPort != nil || n == 0 || host == "" || strings.ContainsAny(host, " /"):
		return nil, fmt.Errorf("%q is not HOST:PORT", server)
	case values["type"] != "" && values["type"] != "eds":
		return nil, fmt.Errorf("type %q is not eds", values["type"])
	}
	s := &Source{Server: server, Cluster: cluster, Node: values["node"], EDSOnly: values["type"] == "eds"}
	if s.Node == "" {
		s.Node = defaultNode
	}
	return s, nil
}

// Members implements observe.Source.
func (s *Source) Members(ctx context.Context) ([]verify.Member, error) {
	members, err := s.members(ctx)
	if err != nil {
		if code := status.Code(err); code == codes.DeadlineExceeded {
			err = fmt.Errorf("%w (a server that does not have it may never answer)", err)
		}
		return nil, fmt.Errorf("xds: cluster %q of %s: %w", s.Cluster, s.Server, err)
	}
	return members, nil
}

func (s *Source) members(ctx context.Context) ([]verify.Member, error) {
	// "passthrough" leaves the name to the dialer. A proxy from the environment is
	// for other servers than a control plane.
	conn, err := grpc.NewClient("passthrough:///"+s.Server, grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithNoProxy(),
		grpc.WithDisableServiceConfig(), grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxMessage)))
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // ends the stream
	stream, err := discoveryv3.NewAggregatedDiscoveryServiceClient(conn).StreamAggregatedResources(ctx)
	if err != nil {
		return nil, err
	}
	a := &ads{stream: stream, node: &corev3.Node{Id: s.Node, Cluster: s.Node, UserAgentName: "slicewright"}}
	if s.EDSOnly {
		return s.eds(a, s.Cluster, []string{s.Cluster})
	}
	return s.cds(a)
}

// cds finds the cluster, and with it where its endpoints are.
func (s *Source) cds(a *ads) ([]verify.Member, error) {
	resources, err := a.ask(clusterType, nil)
	if err != nil {
		return nil, err
	}
	var ours *clusterv3.Cluster
	var names []string
	for _, resource := range resources {
		c := &clusterv3.Cluster{}
		if err := unpack(resource, c); err != nil {
			return nil, err
		}
		if c.GetName() == s.Cluster {
			ours = c
		}
		if c.GetType() == clusterv3.Cluster_EDS {
			names = append(names, edsName(c))
		}
	}
	switch {
	case ours == nil:
		return nil, fmt.Errorf("the server has no such cluster for node %q (it has %d others)", s.Node, len(resources))
	case ours.GetClusterType() != nil:
		return nil, fmt.Errorf("it is of the custom type %.80q, which is not read", ours.GetClusterType().GetName())
	case ours.GetType() == clusterv3.Cluster_EDS:
		return s.eds(a, edsName(ours), names)
	case ours.GetLoadAssignment() == nil:
		return nil, fmt.Errorf("it has type %s and no endpoints of its own", ours.GetType())
	}
	// STATIC has addresses; STRICT_DNS and LOGICAL_DNS have host names, which
	// members refuses unless they are addresses too.
	return members(ours.GetLoadAssignment())
}

func edsName(c *clusterv3.Cluster) string {
	if name := c.GetEdsClusterConfig().GetServiceName(); name != "" {
		return name
	}
	return c.GetName()
}

// eds waits for the endpoints called name.
func (s *Source) eds(a *ads, name string, names []string) ([]verify.Member, error) {
	for i := range maxAnswers {
		var resources []*anypb.Any
		var err error
		if i == 0 {
			resources, err = a.ask(endpointType, names)
		} else {
			resources, err = a.next(endpointType) // a server may send what it has piece by piece
		}
		if err != nil {
			return nil, err
		}
		for _, resource := range resources {
			assignment := &endpointv3.ClusterLoadAssignment{}
			if err := unpack(resource, assignment); err != nil {
				return nil, err
			}
			if assignment.GetClusterName() == name {
				return members(assignment)
			}
		}
	}
	return nil, fmt.Errorf("%d answers, and none has endpoints called %q", maxAnswers, name)
}

// ads is one aggregated stream.
type ads struct {
	stream discoveryv3.AggregatedDiscoveryService_StreamAggregatedResourcesClient
	node   *corev3.Node
	names  map[string][]string // by type, as last asked for
}

// ask subscribes to resources of a type, nil for all, and returns the first answer.
func (a *ads) ask(kind string, names []string) ([]*anypb.Any, error) {
	if a.names == nil {
		a.names = map[string][]string{}
	}
	a.names[kind] = names
	if err := a.stream.Send(&discoveryv3.DiscoveryRequest{Node: a.node, TypeUrl: kind, ResourceNames: names}); err != nil {
		// What the server says of it is in the receiving direction.
		if _, errReceive := a.stream.Recv(); errReceive != nil {
			err = errReceive
		}
		return nil, err
	}
	return a.next(kind)
}

// next returns the next answer of a type. Every answer is acknowledged, since
// servers wait for it before they send what depends on it.
func (a *ads) next(kind string) ([]*anypb.Any, error) {
	for range maxAnswers {
		answer, err := a.stream.Recv()
		if err != nil {
			return nil, err
		}
		if err := a.stream.Send(&discoveryv3.DiscoveryRequest{
			Node: a.node, TypeUrl: answer.GetTypeUrl(), ResourceNames: a.names[answer.GetTypeUrl()],
			VersionInfo: answer.GetVersionInfo(), ResponseNonce: answer.GetNonce(),
		}); err != nil {
			return nil, err
		}
		if answer.GetTypeUrl() == kind {
			return answer.GetResources(), nil
		}
	}
	return nil, fmt.Errorf("%d answers, and none of the type that was asked for", maxAnswers)
}

// unpack reads a resource of into's type.
func unpack(resource *anypb.Any, into proto.Message) error {
	wrapper := &discoveryv3.Resource{}
	if resource.MessageIs(wrapper) { // as servers send resources with a lifetime
		if err := resource.UnmarshalTo(wrapper); err != nil {
			return fmt.Errorf("a resource that does not decode: %w", err)
		}
		resource = wrapper.GetResource()
	}
	if !resource.MessageIs(into) {
		return fmt.Errorf("a resource of type %.100q where %s was asked for", resource.GetTypeUrl(), into.ProtoReflect().Descriptor().FullName())
	}
	if err := resource.UnmarshalTo(into); err != nil {
		return fmt.Errorf("a resource that does not decode: %w", err)
	}
	return nil
}
