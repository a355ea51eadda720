// Package live watches the Endpoints and the EndpointSlices of a cluster and says
// of each Service, once both are still, whether they agree (package shadow).
//
// It is the one part of the product that asks an API server for Endpoints, and
// only a [Watcher] does, so a process without a Watcher cannot ask for them. It
// writes nothing except Events, if asked to.
//
// Pods, Nodes and Services are watched too, as far as permissions go. They decide
// only which class a difference has; what could not be read is in the report, and
// what cannot be said without it.
//
// [Files] compares objects from manifests in the same way.
package live
