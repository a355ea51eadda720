// Package runtime is a stub with the shape of the real one.
package runtime

import "k8s.io/apimachinery/pkg/runtime/schema"

type Object interface{ DeepCopyObject() Object }

type Scheme struct{}

var _ schema.GroupVersion
