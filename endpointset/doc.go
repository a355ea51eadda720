// Package endpointset joins the EndpointSlices of Services into exact sets of
// backends, and chooses among them.
package endpointset
