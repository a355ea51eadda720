// Package registry joins what all sources found into one document: who still reads
// or writes Endpoints, with evidence, an owner, and a word on what was not seen.
//
// Sources report findings (package evidence). Build merges them into entries, one
// for each consumer. Reconcile carries over what people wrote into the registry
// before. Judge says what the result means for an exit code. Everything is a
// function of its arguments: package registryfile reads and writes files.
package registry
