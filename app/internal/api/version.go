// Package api names the version of what the programs write and read: reports,
// registries, plans and configurations.
package api

// Version is in the field apiVersion of every kind.
const Version = "slicewright.dev/v1alpha1"
