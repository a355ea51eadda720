package analyzer

import (
	"fmt"
	"strings"

	"github.com/slicewright/slicewright/app/internal/find/evidence"
)

// maxHops is how many packages away from the read a caller still counts as a
// consumer. The first caller has to know; its caller usually owns the binary.
// Beyond that every main would be flagged once per library below it.
const maxHops = 2

// Reads is the fact about a function that uses Endpoints itself, whatever it is
// called with: its callers in other packages are consumers.
type Reads struct {
	Class evidence.Class
	Verbs []string
	// Hops counts the packages between this function and the use.
	Hops int
	// Via names the function that holds the use, for people.
	Via string
}

// AFact marks Reads as a fact.
func (*Reads) AFact() {}

func (r *Reads) String() string {
	return fmt.Sprintf("reads(%s %s)", r.Class, strings.Join(r.Verbs, ","))
}

// Takes is the fact about a function that uses whatever its caller names: the
// call that passes Endpoints is the site.
type Takes struct {
	// Params are the parameters, by index, that name a resource or an object.
	Params map[int]Use
	// TypeParams are the type parameters, by index, that stand for the object;
	// those of a method's receiver count.
	TypeParams map[int]Use
}

// AFact marks Takes as a fact.
func (*Takes) AFact() {}

func (t *Takes) String() string {
	return fmt.Sprintf("takes(%d,%d)", len(t.Params), len(t.TypeParams))
}

// Use says how a function uses what it is given.
type Use struct {
	Kind     Kind
	Detector string
	Verbs    []string
	Access   []string
}

// Kind says in which form Endpoints is named at a call.
type Kind int

// The kinds.
const (
	// ResourceName is the resource's name, "endpoints".
	ResourceName Kind = iota
	// ResourceList is kubectl's form: "svc,endpoints", "endpoints/web", "ep".
	ResourceList
	// Schema is a GroupVersionResource, a GroupVersionKind or a relative.
	Schema
	// Object is a *corev1.Endpoints, a list of them or an apply configuration.
	Object
	// LockName is the name of a leader lock, "endpoints" or "endpointsleases".
	LockName
)

// Holds is the fact about a package variable whose value names Endpoints, such
// as an exported GroupVersionResource.
type Holds struct {
	// Slices tells an EndpointSlice value from an Endpoints one.
	Slices bool
}

// AFact marks Holds as a fact.
func (*Holds) AFact() {}

func (h *Holds) String() string {
	if h.Slices {
		return "holds(endpointslices)"
	}
	return "holds(endpoints)"
}
