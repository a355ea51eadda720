// Package discovery is a stub with the shape of the real one.
package discovery

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

type DiscoveryInterface interface {
	ServerPreferredResources() ([]*metav1.APIResourceList, error)
	ServerVersion() (string, error)
}
