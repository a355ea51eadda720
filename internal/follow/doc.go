// Package follow keeps a store equal to what an API server has of one kind of
// object, in one namespace or in all, and knows how well that goes.
//
// A [Follower] is client-go's reflector whose store is the caller's own. A shared
// informer would keep a second store and hand a list out object by object, so
// that an object that was replaced by another is absent for a moment. What the
// reflector leaves to its users is here, once: the gate that opens when the first
// list has been handled (S14), errors that keep what was read (S15), a connection
// that says nothing, and a pause between attempts that fail.
package follow
