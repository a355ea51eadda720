// Package manifests reads Kubernetes objects from files, or from what kubectl
// wrote, into an [objects.Snapshot]: what is concluded from it offline is the same
// as what is concluded from a cluster.
//
// Everything read is text from outside. A name that no API server would accept
// never enters a Snapshot: it is reported, and the object left out.
package manifests
