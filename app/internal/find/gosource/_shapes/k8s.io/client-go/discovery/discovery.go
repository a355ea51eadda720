// Package discovery is a stub with the shape of the real one.
package discovery

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
)

type DiscoveryInterface interface {
	ServerPreferredResources() ([]*metav1.APIResourceList, error)
	ServerPreferredNamespacedResources() ([]*metav1.APIResourceList, error)
	ServerVersion() (string, error)
}

type DiscoveryClient struct{ DiscoveryInterface }

func NewDiscoveryClientForConfig(c *rest.Config) (*DiscoveryClient, error) { return nil, nil }
func NewDiscoveryClientForConfigOrDie(c *rest.Config) *DiscoveryClient     { return nil }
