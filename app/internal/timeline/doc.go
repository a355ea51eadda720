// Package timeline holds what EndpointSlices, Pods, Services and consumers did
// and when, and what follows from it.
//
// It is pure: facts in, histories, transitions and findings out. It opens no
// file, asks no clock and no API; package store keeps the facts in a database
// and package record takes them from a cluster or from a file that kubectl
// wrote.
//
// The facts are those of the API, slice by slice, before any join: which slice
// said what of which endpoint. A fact has two kinds of moment, and both are
// kept: when it was received here (measured), and when the API says that it was
// written or triggered (told, mostly in whole seconds).
package timeline
