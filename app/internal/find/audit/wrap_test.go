package audit

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A namespace and an object can have any name, those of the words around them
// too.
func TestGoogleObject(t *testing.T) {
	for _, c := range []struct{ method, name, want string }{
		{"io.k8s.core.v1.endpoints.get", "core/v1/namespaces/prod/endpoints/web", "endpoints get prod web"},
		{"io.k8s.core.v1.endpoints.list", "core/v1/namespaces/prod/endpoints", "endpoints list prod "},
		{"io.k8s.core.v1.endpoints.list", "core/v1/endpoints", "endpoints list  "},
		{"io.k8s.core.v1.endpoints.get", "core/v1/namespaces/namespaces/endpoints/web", "endpoints get namespaces web"},
		{"io.k8s.core.v1.endpoints.get", "core/v1/namespaces/endpoints/endpoints/web", "endpoints get endpoints web"},
		{"io.k8s.core.v1.endpoints.get", "core/v1/namespaces/prod/endpoints/endpoints", "endpoints get prod endpoints"},
		{"io.k8s.core.v1.endpoints.get", "core/v1/namespaces/prod/endpoints/namespaces", "endpoints get prod namespaces"},
		{"io.k8s.core.v1.endpoints.list", "core/v1/namespaces", "endpoints list  "},
		{"io.k8s.core.v1.endpoints.list", "core/endpoints/web", "endpoints list  "},
		{"io.k8s.discovery.v1.endpointslices.list", "discovery.k8s.io/v1/endpointslices", "endpointslices list  "},
		{"io.k8s.core.v1.endpoints.status.update", "core/v1/namespaces/prod/endpoints/web", "other other prod web"},
		{"io.k8s.core.v1.endpoints", "core/v1/namespaces/prod/endpoints/web", "as it was"},
		{"io.k8s.core.vx.endpoints.list", "core/v1/namespaces/prod/endpoints/web", "as it was"},
		{"io.k8s.core.v", "core/v1", "as it was"},
		{"core.v1.endpoints.list", "core/v1/endpoints", "as it was"},
	} {
		f := fields{}
		f.Resource, f.Verb, f.Namespace, f.Name = Endpoints, "before", "a", "b"
		googleObject(&f, c.method, c.name)
		got := fmt.Sprint(f.Resource, " ", f.Verb, " ", f.Namespace, " ", f.Name)
		if f.Verb == "before" {
			got = "as it was"
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s of %s (-want +got):\n%s", c.method, c.name, diff)
		}
	}
}

func TestCutVersion(t *testing.T) {
	for in, want := range map[string]string{
		"core.v1.endpoints.list": "core|endpoints.list true",
		"core.v0.endpoints.list": "core|endpoints.list true",
		"core.v9.endpoints.list": "core|endpoints.list true",
		"apps.example.v2beta1.x": "apps.example|x true",
		"core.v1":                "core| false",
		"core.velvet.endpoints":  "| false",
		"core.v:.endpoints":      "| false",
		"core.v/.endpoints":      "| false",
		".v1.x":                  "|x true",
		"core.v":                 "| false",
		"v1":                     "| false",
		"":                       "| false",
	} {
		group, rest, ok := cutVersion(in)
		if got := fmt.Sprint(group, "|", rest, " ", ok); got != want {
			t.Errorf("%q is cut into %s, want %s", in, got, want)
		}
	}
}
