// Package consumers is the home of other people's programs that follow
// Services, each built from its released Go module in a module of its own below
// this folder, so that what they require touches neither the product nor the lab.
//
//	coredns      CoreDNS with the plugins that serve a cluster
//	prometheus   Prometheus with Kubernetes' discovery alone
//	grpc         gRPC clients with the resolvers of kuberesolver and go-zero
//	findings     scripts that show where they are wrong
//
// How they are run and what they promise is in ../conformance/consumers.
package consumers
