// Package inventory joins what all sources found into one registry: who still
// reads or writes Endpoints, with evidence, an owner, and a word on what was not
// seen.
//
// Sources report findings (package evidence); Build merges them into entries,
// one a consumer; Reconcile carries over what people wrote into the registry
// before; Judge says what the result means for an exit code. All three are
// functions of their arguments. Files are read and written by Load and Save.
package registry
