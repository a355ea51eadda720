// Package writers says who writes the Endpoints objects that there are. What the
// endpoints controller did not write, somebody publishes, locks or stores; it
// goes on doing so after every reader has moved, and its Service does not change any more
// the day mirroring ends.
//
// The proof is in managedFields, where the API server notes for every field who
// set it last. A name there is what a client called itself and no
// authenticated user; it is joined to a workload only where one of that name
// may write the object.
//
// Everything here is a function of its arguments.
package writers
