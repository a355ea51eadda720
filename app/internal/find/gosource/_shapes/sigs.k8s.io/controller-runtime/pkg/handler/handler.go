// Package handler is a stub with the shape of the real one.
package handler

type EnqueueRequestForObject struct{}

func EnqueueRequestsFromMapFunc(f any) any { return nil }
