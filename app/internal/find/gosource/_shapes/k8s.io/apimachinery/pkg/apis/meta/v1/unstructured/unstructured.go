// Package unstructured is a stub with the shape of the real one.
package unstructured

import (
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

type Unstructured struct{ Object map[string]any }

func (*Unstructured) DeepCopyObject() runtime.Object              { return nil }
func (*Unstructured) SetGroupVersionKind(schema.GroupVersionKind) {}

type UnstructuredList struct{ Items []Unstructured }

func (*UnstructuredList) DeepCopyObject() runtime.Object              { return nil }
func (*UnstructuredList) SetGroupVersionKind(schema.GroupVersionKind) {}

func (*Unstructured) SetAPIVersion(string) {}
func (*Unstructured) SetKind(string)       {}
