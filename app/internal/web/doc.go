// Package web writes reports as pages: each one file without anything from
// outside, which a browser shows from a disk, an attachment or a ticket.
//
// What a report holds is hostile: names, labels and error texts of a cluster.
// It reaches the page through html/template alone, as escaped text or as JSON in
// a data block, and the page's policy allows no script or style but its own.
package web
