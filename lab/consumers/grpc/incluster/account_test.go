package incluster

import (
	"os"
	"path/filepath"
	"testing"

	"k8s.io/client-go/rest"
)

func TestCredentialsAreThoseOfTheKubeconfigsServer(t *testing.T) {
	ca := filepath.Join(t.TempDir(), "ca.crt")
	if err := os.WriteFile(ca, []byte("certificate"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ server, host, port string }{
		{"https://127.0.0.1:6443", "127.0.0.1", "6443"},
		{"https://[fd40::1]:6443/", "fd40::1", "6443"},
		// Libraries put https and a port together with what they find: nothing else
		// can be said to them.
		{"http://127.0.0.1:8080", "", ""},
		{"https://api.example.com", "", ""},
		{"127.0.0.1:6443", "", ""},
		{"https://%zz:1", "", ""},
	} {
		config := &rest.Config{Host: test.server, TLSClientConfig: rest.TLSClientConfig{CAFile: ca}}
		got, err := newCredentials(config, "shop", "token")
		if test.host == "" {
			if err == nil {
				t.Errorf("%s: no error", test.server)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", test.server, err)
			continue
		}
		if got.Host != test.host || got.Port != test.port || string(got.CA) != "certificate" ||
			string(got.Token) != "token" || string(got.NamespaceFile) != "shop" {
			t.Errorf("%s: got %+v", test.server, got)
		}
	}
	config := &rest.Config{Host: "https://127.0.0.1:6443", TLSClientConfig: rest.TLSClientConfig{CAFile: ca + ".none"}}
	if _, err := newCredentials(config, "shop", "token"); err == nil {
		t.Error("a certificate that is not there, and no error")
	}
}
