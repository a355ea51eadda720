// Package workloads says which workloads run under a ServiceAccount: from Pods
// up their owners to the object that a person wrote, and from templates down, so
// that what is scaled to zero or suspended is not forgotten.
//
// Everything here is a function of an [objects.Snapshot].
package workloads
