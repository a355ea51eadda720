package access_test

import (
	"strings"
	"testing"

	authorizationv1 "k8s.io/api/authorization/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/slicewright/slicewright/watch/access"
)

func TestAccessIsAskedFor(t *testing.T) {
	for _, c := range []struct {
		name       string
		namespaces []string
		allowed    func(*authorizationv1.ResourceAttributes) bool
		want       []string
	}{
		{"all is permitted", []string{"shop"}, func(*authorizationv1.ResourceAttributes) bool { return true }, nil},
		{
			"watch is missing in one",
			[]string{"shop", "lab"},
			func(a *authorizationv1.ResourceAttributes) bool { return a.Verb == "list" || a.Namespace == "shop" },
			[]string{`watch endpointslices.discovery.k8s.io in namespace "lab"`, "kind: Role\n", "namespace: lab", "- list", "- watch", "discovery.k8s.io"},
		},
		{
			"nothing, of all namespaces", nil,
			func(*authorizationv1.ResourceAttributes) bool { return false },
			[]string{"list endpointslices.discovery.k8s.io in all namespaces, watch endpointslices", "kind: ClusterRole\n"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			client := fake.NewClientset()
			client.PrependReactor("create", "selfsubjectaccessreviews", func(action clienttesting.Action) (bool, runtime.Object, error) {
				review := action.(clienttesting.CreateAction).GetObject().(*authorizationv1.SelfSubjectAccessReview).DeepCopy()
				a := review.Spec.ResourceAttributes
				review.Status.Allowed = a.Group == "discovery.k8s.io" && a.Resource == "endpointslices" && c.allowed(a)
				return true, review, nil
			})
			err := access.Check(t.Context(), client.AuthorizationV1(), c.namespaces)
			if (err == nil) != (c.want == nil) {
				t.Fatalf("the error is %v", err)
			}
			for _, want := range c.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("no %q in: %v", want, err)
				}
			}
		})
	}
}
