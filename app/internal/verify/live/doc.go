// Package live verifies while things happen: it follows the slices of a Service,
// looks at consumers, makes new connections, and hands all of it to a
// [verify.Log], which judges.
//
// A [Runner] knows three plans: look until everything has settled; look for a
// time; look while something else happens, such as a rollout, and until all has
// settled after it. It changes nothing in the cluster nor in a consumer; its
// connections are all that anyone notices of it.
package live
