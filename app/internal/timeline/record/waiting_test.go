package record

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/slicewright/slicewright/app/internal/timeline"
)

// A scope that chooses Services by label keeps the slices of its namespaces, for
// a Service that comes later. Others are not kept.
func TestSlicesOfServicesThatMayComeAreKept(t *testing.T) {
	selector := labels.SelectorFromSet(labels.Set{"app": "web"})
	for _, c := range []struct {
		name  string
		scope Scope
		want  []string
	}{
		{"all namespaces", Scope{Selector: selector}, []string{"prod/web-1", "test/web-1"}},
		{"one namespace", Scope{Namespace: "prod", Selector: selector}, []string{"prod/web-1"}},
		{"names", Scope{Namespace: "prod", Services: []string{"other"}, Selector: selector}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := newApplier(newMemory(), c.scope)
			for _, namespace := range []string{"prod", "test"} {
				s := &discoveryv1.EndpointSlice{
					ObjectMeta: metav1.ObjectMeta{
						Namespace: namespace, Name: "web-1", Labels: map[string]string{discoveryv1.LabelServiceName: "web"},
						ManagedFields: []metav1.ManagedFieldsEntry{{Manager: "m"}},
					},
					AddressType: discoveryv1.AddressTypeIPv4,
				}
				if err := a.slice(t.Context(), moment{at: time.Unix(1, 0)}, timeline.Listed, s); err != nil {
					t.Fatal(err)
				}
			}
			var got []string
			for key, s := range a.slices {
				got = append(got, key.Namespace+"/"+key.Name)
				if s.ManagedFields != nil {
					t.Errorf("%s keeps its managed fields", key.Name)
				}
			}
			slices.Sort(got)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("kept (-want +got):\n%s", diff)
			}
		})
	}
}
