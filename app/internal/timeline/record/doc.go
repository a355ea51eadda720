// Package record takes the facts of a timeline from where they are: a cluster's
// API, or a file that kubectl wrote.
//
// A watch that is lost leaves a gap in the recording, from the last moment that
// is known to be complete to the list that took its place.
package record
