package analyzer

import (
	"go/types"
	"strings"
)

// api tells the two APIs apart. Slices are followed with the same rules as
// Endpoints, because only then is it known that a file reads both.
type api int

const (
	noAPI api = iota
	endpointsAPI
	sliceAPI
)

// verbs maps the methods of typed, dynamic, metadata and controller-runtime
// clients to the verb that the API server sees.
var verbs = map[string]string{
	"Get": "get", "List": "list", "Watch": "watch",
	"Create": "create", "Update": "update", "UpdateStatus": "update",
	"Patch": "patch", "Apply": "patch", "ApplyStatus": "patch",
	"Delete": "delete", "DeleteCollection": "delete", "DeleteAllOf": "delete",
}

// writes are the verbs that make a producer.
var writes = map[string]bool{"create": true, "update": true, "patch": true, "delete": true}

// discoveryGroup is the API group of EndpointSlice.
const discoveryGroup = "discovery.k8s.io"

// pkgPath is the import path without the folder that it was vendored under.
func pkgPath(pkg *types.Package) string {
	if pkg == nil {
		return ""
	}
	path := pkg.Path()
	if i := strings.LastIndex(path, "/vendor/"); i >= 0 {
		path = path[i+len("/vendor/"):]
	}
	return strings.TrimPrefix(path, "vendor/")
}

// isCorePackage reports whether a package holds the core group's own types:
// today's, the internal ones of k8s.io/kubernetes, and those of the client-go
// releases before k8s.io/api was a module.
func isCorePackage(path string) bool {
	switch path {
	case "k8s.io/api/core/v1",
		"k8s.io/client-go/pkg/api/v1", "k8s.io/client-go/pkg/api",
		"k8s.io/kubernetes/pkg/api/v1", "k8s.io/kubernetes/pkg/api",
		"k8s.io/kubernetes/pkg/apis/core",
		"k8s.io/client-go/applyconfigurations/core/v1":
		return true
	}
	return false
}

// isDiscoveryPackage reports whether a package holds EndpointSlice's types.
func isDiscoveryPackage(path string) bool {
	return strings.HasPrefix(path, "k8s.io/api/discovery/") ||
		path == "k8s.io/kubernetes/pkg/apis/discovery" ||
		strings.HasPrefix(path, "k8s.io/client-go/applyconfigurations/discovery/")
}

// objectAPI says which API's object, list or apply configuration t is, through
// pointers and aliases. A local type that happens to be called Endpoints, the
// field of a slice and Envoy's or etcd's endpoints are neither.
func objectAPI(t types.Type) api {
	named := namedType(t)
	if named == nil {
		return noAPI
	}
	path := pkgPath(named.Obj().Pkg())
	switch named.Obj().Name() {
	case "Endpoints", "EndpointsList", "EndpointsApplyConfiguration":
		if isCorePackage(path) {
			return endpointsAPI
		}
	case "EndpointSlice", "EndpointSliceList", "EndpointSliceApplyConfiguration":
		if isDiscoveryPackage(path) {
			return sliceAPI
		}
	}
	return noAPI
}

// clientAPI says whose typed client t is: client-go's and every clientset that
// is generated the same way.
func clientAPI(t types.Type) api {
	return generated(t, map[string]api{
		"/typed/core/v1.EndpointsInterface":               endpointsAPI,
		"/typed/discovery/v1.EndpointSliceInterface":      sliceAPI,
		"/typed/discovery/v1beta1.EndpointSliceInterface": sliceAPI,
	})
}

// informerAPI says whose typed informer t is.
func informerAPI(t types.Type) api {
	return generated(t, map[string]api{
		"/core/v1.EndpointsInformer":               endpointsAPI,
		"/core/v1.TypedEndpointsInformer":          endpointsAPI,
		"/discovery/v1.EndpointSliceInformer":      sliceAPI,
		"/discovery/v1.TypedEndpointSliceInformer": sliceAPI,
		"/discovery/v1beta1.EndpointSliceInformer": sliceAPI,
	})
}

// listerAPI says whose typed lister t is.
func listerAPI(t types.Type) api {
	return generated(t, map[string]api{
		"/core/v1.EndpointsLister":                        endpointsAPI,
		"/core/v1.EndpointsNamespaceLister":               endpointsAPI,
		"/discovery/v1.EndpointSliceLister":               sliceAPI,
		"/discovery/v1.EndpointSliceNamespaceLister":      sliceAPI,
		"/discovery/v1beta1.EndpointSliceLister":          sliceAPI,
		"/discovery/v1beta1.EndpointSliceNamespaceLister": sliceAPI,
	})
}

// generated looks t up by the end of its package's path and its name, so that
// a fork of client-go or an own clientset counts as well.
func generated(t types.Type, names map[string]api) api {
	named := namedType(t)
	if named == nil {
		return noAPI
	}
	full := pkgPath(named.Obj().Pkg()) + "." + named.Obj().Name()
	for suffix, which := range names {
		if strings.HasSuffix(full, suffix) {
			return which
		}
	}
	return noAPI
}

// namedType is the named type behind pointers and aliases, or nil.
func namedType(t types.Type) *types.Named {
	if t == nil {
		return nil
	}
	t = types.Unalias(t)
	if ptr, ok := t.(*types.Pointer); ok {
		t = types.Unalias(ptr.Elem())
	}
	named, _ := t.(*types.Named)
	return named
}

// isNamed reports whether t is the named type path.name.
func isNamed(t types.Type, path, name string) bool {
	named := namedType(t)
	return named != nil && named.Obj().Name() == name && pkgPath(named.Obj().Pkg()) == path
}

// schemaPackage holds GroupVersionResource and its relatives.
const schemaPackage = "k8s.io/apimachinery/pkg/runtime/schema"

// isSchema reports whether t is one of the named types of package schema.
func isSchema(t types.Type, names ...string) bool {
	for _, name := range names {
		if isNamed(t, schemaPackage, name) {
			return true
		}
	}
	return false
}

// typeArguments are the type arguments that t was instantiated with.
func typeArguments(t types.Type) []types.Type {
	named := namedType(t)
	if named == nil || named.TypeArgs() == nil {
		return nil
	}
	var args []types.Type
	for t := range named.TypeArgs().Types() {
		args = append(args, t)
	}
	return args
}

// underPath reports whether path is root or below it.
func underPath(path, root string) bool {
	return path == root || strings.HasPrefix(path, root+"/")
}

// HasOwnRules reports whether a package belongs to the libraries whose calls the
// rules here know: what they do inside is no consumer, and facts about them
// would only say the same again.
func HasOwnRules(path string) bool {
	for _, root := range []string{
		"k8s.io/api", "k8s.io/apimachinery", "k8s.io/client-go", "k8s.io/cli-runtime", "sigs.k8s.io/controller-runtime",
		"k8s.io/apiserver", // whose stores have a client's verbs
	} {
		if underPath(path, root) {
			return true
		}
	}
	return false
}
