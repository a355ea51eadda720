// Package cluster reads from an API server the objects that say who may touch
// Endpoints, who runs with that permission, and who wrote the Endpoints that
// there are. It fills an [objects.Snapshot], as package manifests does from files.
package cluster
