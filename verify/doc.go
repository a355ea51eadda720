// Package verify finds out what a consumer of a Service really uses: the
// slices, the consumer's own view and who answers new connections, held against
// each other over time.
package verify
