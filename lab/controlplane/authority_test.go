package controlplane

import (
	"crypto/tls"
	"crypto/x509"
	"net/netip"
	"testing"

	"k8s.io/client-go/tools/clientcmd"
)

func TestCertificatesHoldForTheirAddressesAndUsers(t *testing.T) {
	a, err := newAuthority()
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(a.pem)

	pair := func(cert, key []byte, err error) *x509.Certificate {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		loaded, err := tls.X509KeyPair(cert, key)
		if err != nil {
			t.Fatal(err)
		}
		return loaded.Leaf
	}
	server := pair(a.server([]string{"kubernetes"}, []netip.Addr{netip.MustParseAddr("10.96.0.1"), netip.MustParseAddr("fd00:10:96::1")}))
	for _, name := range []string{"kubernetes", "10.96.0.1", "fd00:10:96::1"} {
		if _, err := server.Verify(x509.VerifyOptions{Roots: roots, DNSName: name}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	user := pair(a.client("ann", []string{"developers"}))
	if _, err := user.Verify(x509.VerifyOptions{Roots: roots, KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}}); err != nil {
		t.Error(err)
	}
	if user.Subject.CommonName != "ann" || user.Subject.Organization[0] != "developers" {
		t.Errorf("subject %v", user.Subject)
	}
}

func TestKubeconfigIsWhatClientsRead(t *testing.T) {
	a, err := newAuthority()
	if err != nil {
		t.Fatal(err)
	}
	c := &ControlPlane{authority: a}
	content, err := c.Kubeconfig("ann", "developers")
	if err != nil {
		t.Fatal(err)
	}
	config, err := clientcmd.RESTConfigFromKubeConfig(content)
	if err != nil {
		t.Fatal(err)
	}
	if config.Host != "https://127.0.0.1:6443" || len(config.CertData) == 0 || len(config.CAData) == 0 {
		t.Errorf("host %s, %d and %d bytes of certificates", config.Host, len(config.CertData), len(config.CAData))
	}
}
