// Package objects has what is kept of the Kubernetes objects that say who may
// touch Endpoints, who runs with that permission, and who wrote the Endpoints that
// there are. Package manifests reads them from files, package cluster from an API
// server. Both fill the same [Snapshot], so that a conclusion is the same offline
// and live.
//
// A Snapshot keeps of every object only what a conclusion can rest on: no
// environment variables, no addresses, no Secret ever. A cluster of a hundred
// thousand Pods fits in some tens of megabytes.
//
// A name that no API server would accept never enters a Snapshot. What is inside
// may be printed as it is.
//
// A Snapshot that is filled is not changed any more and may be read by any
// number of goroutines.
package objects
