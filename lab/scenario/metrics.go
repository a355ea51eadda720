package scenario

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/slicewright/slicewright/lab/process"
)

// cmdCredentials writes what a program without a kubeconfig reaches the API
// server with: the files server (its URL), ca.crt, and token, which is a
// ServiceAccount's.
func (s *script) cmdCredentials(_ io.Writer, args []string) error {
	if err := arguments(args, 2, 2); err != nil {
		return err
	}
	lab, folder := s.engine.Lab, s.path(args[1])
	answer, err := lab.Client.CoreV1().ServiceAccounts(s.namespace).CreateToken(s.ctx, args[0], &authenticationv1.TokenRequest{
		Spec: authenticationv1.TokenRequestSpec{ExpirationSeconds: ptr.To(int64(3600))},
	}, metav1.CreateOptions{})
	if err != nil {
		return fmt.Errorf("request a token for ServiceAccount %s/%s: %w", s.namespace, args[0], err)
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for name, content := range map[string][]byte{
		"server": []byte(lab.Config.Host), "ca.crt": lab.Config.CAData, "token": []byte(answer.Status.Token),
	} {
		if err := os.WriteFile(filepath.Join(folder, name), content, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// prometheusName is that of its log.
const prometheusName = "prometheus"

// cmdPrometheus runs a Prometheus with a configuration of the script's.
func (s *script) cmdPrometheus(_ io.Writer, args []string) error {
	switch {
	case len(args) == 3 && args[0] == "start":
		return s.startPrometheus(args[1], args[2])
	case len(args) == 1 && args[0] == "stop":
		p, err := s.product(prometheusName)
		if err != nil {
			return err
		}
		p.Stop(30 * time.Second)
		delete(s.products, prometheusName)
		return nil
	}
	return errUsage
}

func (s *script) startPrometheus(config, address string) error {
	if s.products[prometheusName] != nil {
		return errors.New("prometheus runs already")
	}
	program, err := exec.LookPath("prometheus")
	if err != nil {
		return fmt.Errorf("%w: run make deps, which installs it", err)
	}
	p, err := process.Start(process.Spec{
		Name: prometheusName, Path: program, Dir: s.work, Log: filepath.Join(s.logs, prometheusName+".log"),
		Args: []string{
			"--config.file=" + config, "--web.listen-address=" + address,
			"--storage.tsdb.path=" + s.path(prometheusName+".data"),
		},
	})
	if err != nil {
		return err
	}
	s.products[prometheusName] = p
	return nil
}
