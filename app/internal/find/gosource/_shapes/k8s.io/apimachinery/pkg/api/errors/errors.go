// Package errors is a stub with the shape of the real one.
package errors

import "k8s.io/apimachinery/pkg/runtime/schema"

func IsNotFound(err error) bool                                 { return false }
func NewNotFound(resource schema.GroupResource, n string) error { return nil }
