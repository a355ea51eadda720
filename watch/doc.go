// Package watch keeps an [endpointset.Index] equal to the EndpointSlices of an
// API server.
//
// A [Watcher] lists and watches, in one namespace, several or all. It opens its
// gate only after the initial list has been handled (S14), keeps the last state
// through every error and says that it is degraded (S15), and takes a relist as
// one step, so that an endpoint that moved between slices while the watch was
// lost is never absent in between (S16).
//
// A program that has a shared informer registers a [Handler] with it instead.
//
// Package access asks beforehand whether list and watch are permitted; package
// metrics reports the state to Prometheus.
package watch
