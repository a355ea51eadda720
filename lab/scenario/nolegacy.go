package scenario

import (
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"os"
	"slices"
	"strings"

	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/yaml"

	"github.com/slicewright/slicewright/lab/auditlog"
)

// A publisher is a "slicewright run" that publishes, and so must not ask for
// Endpoints, whatever happens to it: the API server's audit log is held against
// that at the end of every script.
type publisher struct {
	name string
	user string // whom the API server knows it as
}

// identity writes a kubeconfig for a program under test: an administrator with
// a name of its own, by which the audit log tells it from others.
func (s *script) identity(name string) (string, error) {
	content, err := s.engine.Lab.ControlPlane.Kubeconfig("scenario:"+s.name+":"+name, "system:masters")
	if err != nil {
		return "", err
	}
	path := s.path("." + name + ".kubeconfig")
	return path, os.WriteFile(path, content, 0o600)
}

// notePublisher remembers a program that is about to be started, if it is one
// that publishes.
func (s *script) notePublisher(name, kubeconfig string, args []string) error {
	if len(args) == 0 || args[0] != "run" {
		return nil
	}
	shadow, err := readsEndpoints(s.path(flagValue(args, "config")))
	if err != nil || shadow {
		return err
	}
	if own := flagValue(args, "kubeconfig"); own != "" {
		kubeconfig = s.path(own)
	}
	user, err := userOf(kubeconfig)
	if err != nil {
		return err
	}
	if p := (publisher{name, user}); !slices.Contains(s.publishers, p) {
		s.publishers = append(s.publishers, p)
	}
	return nil
}

// judgePublishers looks what the API server says of each publisher. That it
// asked for EndpointSlices shows that it is the one in the log.
func (s *script) judgePublishers(log auditlog.Log) error {
	for _, p := range s.publishers {
		all, err := log.Of(p.user, "")
		if err != nil {
			return err
		}
		if all.Endpoints > 0 {
			return fmt.Errorf("%s publishes, and asked for Endpoints %d times: %s", p.name, all.Endpoints, all.Example)
		}
		run, err := log.Of(p.user, " run")
		if err != nil {
			return err
		}
		if run.EndpointSlices == 0 {
			return fmt.Errorf("%s (%s) never asked for EndpointSlices: the audit log proves nothing of it", p.name, p.user)
		}
	}
	return nil
}

// readsEndpoints reports whether a configuration has an upstream in the mode
// that compares with Endpoints.
func readsEndpoints(path string) (bool, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return false, err
	}
	var config struct {
		Upstreams []struct {
			Mode string `json:"mode"`
		} `json:"upstreams"`
	}
	if err := yaml.Unmarshal(content, &config); err != nil {
		return false, fmt.Errorf("%s: %w", path, err)
	}
	for _, u := range config.Upstreams {
		if u.Mode == "shadow" {
			return true, nil
		}
	}
	return false, nil
}

// flagValue is the value of --name VALUE or --name=VALUE, "" if it is not there.
func flagValue(args []string, name string) string {
	for i, arg := range args {
		if value, ok := strings.CutPrefix(arg, "--"+name+"="); ok {
			return value
		}
		if arg == "--"+name && i+1 < len(args) {
			return args[i+1]
		}
	}
	return ""
}

// userOf is the user that the API server will know a kubeconfig's owner as,
// read from the credential itself: the API server may be away.
func userOf(path string) (string, error) {
	config, err := clientcmd.BuildConfigFromFlags("", path)
	if err != nil {
		return "", fmt.Errorf("read who uses %s: %w", path, err)
	}
	if block, _ := pem.Decode(config.CertData); block != nil {
		certificate, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return "", fmt.Errorf("read who uses %s: %w", path, err)
		}
		return certificate.Subject.CommonName, nil
	}
	// A ServiceAccount's token: a JSON Web Token, its subject the user's name.
	if parts := strings.Split(config.BearerToken, "."); len(parts) == 3 {
		var claims struct {
			Subject string `json:"sub"`
		}
		content, err := base64.RawURLEncoding.DecodeString(parts[1])
		if err == nil {
			err = json.Unmarshal(content, &claims)
		}
		if err == nil && claims.Subject != "" {
			return claims.Subject, nil
		}
	}
	return "", fmt.Errorf("read who uses %s: it has neither a certificate nor a ServiceAccount's token", path)
}
