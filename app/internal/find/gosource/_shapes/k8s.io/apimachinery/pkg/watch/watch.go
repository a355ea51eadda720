// Package watch is a stub with the shape of the real one.
package watch

type Interface interface {
	Stop()
	ResultChan() <-chan any
}
