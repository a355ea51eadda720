package controlplane

import (
	"context"
	"fmt"
	"net/netip"

	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// URL is the API server's address, inside the lab's network.
func (c *ControlPlane) URL() string { return fmt.Sprintf("https://127.0.0.1:%d", apiServerPort) }

// addresses are those that the API server's certificate is for.
func (c *ControlPlane) addresses() []netip.Addr {
	result := []netip.Addr{netip.MustParseAddr("127.0.0.1"), netip.IPv6Loopback(), c.config.Address}
	for _, cidr := range ServiceCIDRs {
		// The first ClusterIP of a range is the Service "kubernetes".
		result = append(result, cidr.Masked().Addr().Next())
	}
	return result
}

// Client returns a client configuration for a user in groups, with a fresh
// certificate. Group system:masters may do everything. The lab is one machine:
// the client has no rate limit.
func (c *ControlPlane) Client(user string, groups ...string) (*rest.Config, error) {
	cert, key, err := c.authority.client(user, groups)
	if err != nil {
		return nil, err
	}
	return &rest.Config{
		Host:            c.URL(),
		TLSClientConfig: rest.TLSClientConfig{CAData: c.authority.pem, CertData: cert, KeyData: key},
		QPS:             -1,
	}, nil
}

// Kubeconfig returns a kubeconfig file for a user in groups.
func (c *ControlPlane) Kubeconfig(user string, groups ...string) ([]byte, error) {
	cert, key, err := c.authority.client(user, groups)
	if err != nil {
		return nil, err
	}
	return c.kubeconfig(user, &clientcmdapi.AuthInfo{ClientCertificateData: cert, ClientKeyData: key})
}

// ServiceAccountKubeconfig returns a kubeconfig file with a token that the API
// server issues for a ServiceAccount: what a program in a Pod would have. The
// ServiceAccount must exist.
func (c *ControlPlane) ServiceAccountKubeconfig(ctx context.Context, client kubernetes.Interface, namespace, name string) ([]byte, error) {
	life := int64(24 * 60 * 60)
	answer, err := client.CoreV1().ServiceAccounts(namespace).CreateToken(ctx, name,
		&authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{ExpirationSeconds: &life}}, metav1.CreateOptions{})
	if err != nil {
		return nil, fmt.Errorf("request a token for ServiceAccount %s/%s: %w", namespace, name, err)
	}
	return c.kubeconfig(name, &clientcmdapi.AuthInfo{Token: answer.Status.Token})
}

func (c *ControlPlane) kubeconfig(user string, auth *clientcmdapi.AuthInfo) ([]byte, error) {
	const lab = "slicewright-lab"
	config := clientcmdapi.NewConfig()
	config.Clusters[lab] = &clientcmdapi.Cluster{Server: c.URL(), CertificateAuthorityData: c.authority.pem}
	config.AuthInfos[user] = auth
	config.Contexts[lab] = &clientcmdapi.Context{Cluster: lab, AuthInfo: user}
	config.CurrentContext = lab
	content, err := clientcmd.Write(*config)
	if err != nil {
		return nil, fmt.Errorf("write a kubeconfig for %s: %w", user, err)
	}
	return content, nil
}
