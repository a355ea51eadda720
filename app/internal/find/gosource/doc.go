// Package gosource reads Go source trees for uses of core/v1 Endpoints.
//
// A scan has three stages, each of which decides whether the next is needed:
//
//  1. The tree is walked and every Go file searched for a handful of words. A
//     tree without them is done: nothing is loaded and nothing type-checked.
//  2. Modules that have such files are loaded by the go command, offline: a
//     dependency that is not in the module cache is missing, never fetched.
//  3. Packages with candidates, and those that call into them, are type-checked
//     from source and analysed by package analyzer. Bodies of functions are
//     looked at only there; of the rest only declarations count.
//
// What cannot be type-checked is read by syntax, with lower confidence, and the
// coverage says so. Nothing in the tree is executed: no cgo, no generators.
package gosource
