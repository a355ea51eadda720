package record

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/slicewright/slicewright/endpointset"
)

// Scope is what is recorded: the Services named, or else those of a namespace,
// or of all, that Selector matches. The zero value is every Service of every
// namespace.
type Scope struct {
	// Namespace is "" for all namespaces.
	Namespace string
	// Services are names in Namespace.
	Services []string
	// Selector chooses Services by their labels; nil chooses all.
	Selector labels.Selector
}

// String identifies a scope: a recording goes on only with the same one.
func (s Scope) String() string {
	names := slices.Sorted(slices.Values(s.Services))
	namespace := s.Namespace
	if namespace == "" {
		namespace = "*"
	}
	text := fmt.Sprintf("services %s/%s", namespace, strings.Join(names, ","))
	if s.Selector != nil && !s.Selector.Empty() {
		text += " -l " + s.Selector.String()
	}
	return text
}

// fixed reports whether a Service's name alone tells that it belongs.
func (s Scope) fixed() bool {
	return len(s.Services) > 0 || s.Selector == nil || s.Selector.Empty()
}

// named reports whether a Service belongs by its name. It is for fixed scopes.
func (s Scope) named(key endpointset.ServiceKey) bool {
	return s.fixed() && key.Name != "" &&
		(s.Namespace == "" || s.Namespace == key.Namespace) &&
		(len(s.Services) == 0 || slices.Contains(s.Services, key.Name))
}

// matches reports whether a Service belongs.
func (s Scope) matches(svc *corev1.Service) bool {
	if s.fixed() {
		return s.named(endpointset.ServiceKey{Namespace: svc.Namespace, Name: svc.Name})
	}
	return (s.Namespace == "" || s.Namespace == svc.Namespace) && s.Selector.Matches(labels.Set(svc.Labels))
}
