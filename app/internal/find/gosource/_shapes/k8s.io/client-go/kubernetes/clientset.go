// Package kubernetes is a stub with the shape of the real one.
package kubernetes

import (
	"k8s.io/client-go/discovery"
	appsv1 "k8s.io/client-go/kubernetes/typed/apps/v1"
	corev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	discoveryv1 "k8s.io/client-go/kubernetes/typed/discovery/v1"
	"k8s.io/client-go/rest"
)

type Interface interface {
	Discovery() discovery.DiscoveryInterface
	CoreV1() corev1.CoreV1Interface
	Core() corev1.CoreV1Interface // of the releases before 1.12
	DiscoveryV1() discoveryv1.DiscoveryV1Interface
	AppsV1() appsv1.AppsV1Interface
}

type Clientset struct{ Interface }

func NewForConfig(c *rest.Config) (*Clientset, error) { return nil, nil }
func NewForConfigOrDie(c *rest.Config) *Clientset     { return nil }
func New(c rest.Interface) *Clientset                 { return nil }
