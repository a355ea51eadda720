// Package replay reads EndpointSlices without a cluster: out of manifests, and
// out of recorded watch streams.
//
// Manifests are YAML or JSON, many documents to a file, single objects or
// lists. A stream is what
//
//	kubectl get endpointslices -w --output-watch-events -o json
//
// writes: objects {"type", "object"} one after another; a list in the stream is
// a relist and replaces everything before it.
//
// Nothing is taken from an input that is not wholly readable, and every error
// names the file and the document or event in it.
package replay
