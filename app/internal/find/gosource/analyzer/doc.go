// Package analyzer finds where Go code reads or writes core/v1 Endpoints. It is
// a go/analysis analyzer: the same one serves `slicewright find --source`,
// `go vet -vettool` and golangci-lint.
//
// It goes by object, not by spelling: what a call's types, constants and values
// are within its package, and through facts what functions of other packages do
// with what they are given. A local type that is called Endpoints, etcd's
// Endpoints(), a cloud SDK's endpoints package or the Endpoints field of an
// EndpointSlice are therefore no findings.
//
// [Analyzer] needs types and tolerates errors in them; [ReadSyntax] reads one
// file without any types, for code that does not type-check at all.
package analyzer
