package live

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/slicewright/slicewright/internal/atomicfile"
)

// SelfSigned makes a certificate for the address in dir, or takes the one that
// is there and still good, and writes audit-webhook.kubeconfig beside it: the
// file for the API server's --audit-webhook-config-file. It returns the names of
// the certificate's and the key's files.
func SelfSigned(dir, address string, now time.Time) (certFile, keyFile string, err error) {
	certFile, keyFile = filepath.Join(dir, "tls.crt"), filepath.Join(dir, "tls.key")
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return "", "", fmt.Errorf("making a certificate for %s: %w", address, err)
	}
	// A listener on all addresses is reached by this machine's name or loopback.
	ips, names := []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback}, []string{"localhost"}
	ip := net.ParseIP(host)
	switch {
	case ip != nil && !ip.IsUnspecified():
		ips = append(ips, ip)
	case ip != nil:
		host = "127.0.0.1"
		if name, err := os.Hostname(); err == nil {
			names = append(names, name)
		}
	}
	if !usable(certFile, keyFile, ips, now) {
		if err := makeCertificate(certFile, keyFile, ips, names, now); err != nil {
			return "", "", fmt.Errorf("making a certificate for %s: %w", address, err)
		}
	}
	if err := writeKubeconfig(filepath.Join(dir, "audit-webhook.kubeconfig"), certFile, net.JoinHostPort(host, port)); err != nil {
		return "", "", fmt.Errorf("writing the webhook's kubeconfig: %w", err)
	}
	return certFile, keyFile, nil
}

// validity is a year: users who need more time have a certificate authority
// of their own.
const validity = 365 * 24 * time.Hour

// usable says whether the certificate covers the addresses for a month more.
func usable(certFile, keyFile string, ips []net.IP, now time.Time) bool {
	b, err := os.ReadFile(certFile)
	if err != nil {
		return false
	}
	if _, err := os.Stat(keyFile); err != nil {
		return false
	}
	block, _ := pem.Decode(b)
	if block == nil {
		return false
	}
	cert, err := x509.ParseCertificate(block.Bytes)
	if err != nil || now.Add(30*24*time.Hour).After(cert.NotAfter) {
		return false
	}
	for _, ip := range ips {
		if cert.VerifyHostname(ip.String()) != nil {
			return false
		}
	}
	return true
}

func makeCertificate(certFile, keyFile string, ips []net.IP, names []string, now time.Time) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
	if err != nil {
		return err
	}
	template := &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: "slicewright audit webhook"},
		NotBefore: now.Add(-time.Hour), NotAfter: now.Add(validity),
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		BasicConstraintsValid: true, IsCA: true, IPAddresses: ips, DNSNames: names,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return err
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	if err := atomicfile.Write(keyFile, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER}), 0o600); err != nil {
		return err
	}
	return atomicfile.Write(certFile, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o644)
}

// writeKubeconfig writes the certificate into the file, so that it can be copied
// to the API server alone.
func writeKubeconfig(name, certFile, address string) error {
	ca, err := os.ReadFile(certFile)
	if err != nil {
		return err
	}
	b, err := yaml.Marshal(map[string]any{
		"apiVersion": "v1", "kind": "Config", "current-context": "slicewright",
		"clusters": []any{map[string]any{"name": "slicewright", "cluster": map[string]any{"server": "https://" + address + "/audit", "certificate-authority-data": ca}}},
		"contexts": []any{map[string]any{"name": "slicewright", "context": map[string]any{"cluster": "slicewright", "user": "apiserver"}}},
		"users":    []any{map[string]any{"name": "apiserver", "user": map[string]any{}}},
	})
	if err != nil {
		return err
	}
	return atomicfile.Write(name, b, 0o600)
}
