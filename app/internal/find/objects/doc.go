// Package objects reads the Kubernetes objects that say who may touch
// Endpoints, who runs with that permission, and who wrote the Endpoints that
// there are: from manifests with [ReadManifests], or from a cluster with
// [ReadCluster]. Both fill the same [Snapshot], so everything that is concluded
// from one is concluded offline exactly as it is live.
//
// A Snapshot keeps of every object only what a conclusion can rest on: no
// environment variables, no addresses, no Secret ever. A cluster of a hundred
// thousand Pods fits in some tens of megabytes.
//
// Everything read is a stranger's text. A name that no API server would accept
// never enters a Snapshot: it is reported, and the object left out. What is
// inside may be printed as it is.
//
// A Snapshot that is filled is not changed any more and may be read by any
// number of goroutines.
package objects
