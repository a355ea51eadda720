// Package v1 is a stub with the shape of the real one.
package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

const (
	NamespaceAll     = ""
	NamespaceDefault = "default"
)

var SchemeGroupVersion = schema.GroupVersion{Group: "", Version: "v1"}

func Resource(r string) schema.GroupResource { return schema.GroupResource{Resource: r} }

type Endpoints struct {
	metav1.TypeMeta
	metav1.ObjectMeta
	Subsets []EndpointSubset
}
type (
	EndpointSubset  struct{ Addresses []EndpointAddress }
	EndpointAddress struct{ IP string }
	EndpointsList   struct {
		metav1.ListMeta
		Items []Endpoints
	}
)

type (
	Pod     struct{ metav1.ObjectMeta }
	PodList struct{ Items []Pod }
	Service struct{ metav1.ObjectMeta }
)

func (*Endpoints) DeepCopyObject() runtime.Object     { return nil }
func (*EndpointsList) DeepCopyObject() runtime.Object { return nil }
func (*Pod) DeepCopyObject() runtime.Object           { return nil }
func (*PodList) DeepCopyObject() runtime.Object       { return nil }
func (*Service) DeepCopyObject() runtime.Object       { return nil }
