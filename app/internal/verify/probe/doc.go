// Package probe goes the whole way that a client goes: it opens new connections
// to a load balancer, a virtual IP or a Pod, and says which backend answered each.
//
// A probe is one request over a connection of its own, because what decides
// where a new connection goes is what package verify asks about. Nothing is
// tried twice, no proxy of the environment is used and no redirect is followed:
// the first answer is the answer.
//
//	target, err := probe.Parse("http://10.0.0.1:8080/", probe.Options{})
//	...
//	for _, answer := range probe.Many(ctx, target, 100, 8) { ... }
//
// Who answered is read by package identify. A backend that says nothing of
// itself gives answers with the failure Unidentified, which are no lost requests.
package probe
