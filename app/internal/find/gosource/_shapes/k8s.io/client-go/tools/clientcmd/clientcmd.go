// Package clientcmd is a stub with the shape of the real one.
package clientcmd

import "k8s.io/client-go/rest"

type ClientConfig interface {
	ClientConfig() (*rest.Config, error)
	Namespace() (string, bool, error)
}
type (
	ClientConfigLoadingRules struct{ ExplicitPath string }
	ConfigOverrides          struct{ CurrentContext string }
)

var RecommendedHomeFile string

func BuildConfigFromFlags(master, kubeconfig string) (*rest.Config, error) { return nil, nil }
func RESTConfigFromKubeConfig(b []byte) (*rest.Config, error)              { return nil, nil }
func NewDefaultClientConfigLoadingRules() *ClientConfigLoadingRules        { return nil }
func NewNonInteractiveDeferredLoadingClientConfig(r *ClientConfigLoadingRules, o *ConfigOverrides) ClientConfig {
	return nil
}
