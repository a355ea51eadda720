// Package endpointset joins the EndpointSlices of Services into exact sets of
// backends and chooses among them.
//
// An [Index] takes slices in, one event at a time, and says after each what
// changed for which Service. [Index.Service] hands out a [Set], an immutable
// snapshot of all backends that are in the slices of a Service. [Set.Select]
// splits it by a [Policy] and a [Location] into those that get a new
// connection, those that only keep their open ones, and those that get nothing,
// each with its reason. In a slice, a candidate for a new connection, still in
// use by an open connection: these three are never mixed up here.
//
// What comes out depends on the slices that are left, never on the order in
// which they came, and is always sorted: equal input gives equal output.
//
// The package is pure. It has no client, no clock, no I/O and no log, it never
// modifies what it is given, and nothing in a slice, however strange, makes it
// panic: endpoints that cannot be used are left out one by one and named in a
// [Diagnostic].
//
// Cost: an event costs work in proportion to the slice that it carries, and
// produces a [Change] in proportion to what is different in it. Neither grows
// with the Service or with the cluster. A selection is in proportion to the
// Service.
//
// The rules that the comments cite as S1 to S20 are in docs/semantics.md.
package endpointset
