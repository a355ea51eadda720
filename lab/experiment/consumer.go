package experiment

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/slicewright/slicewright/app/experiment/report"
)

// Consumer is what reads a Service's backends and gives them to a load balancer.
type Consumer struct {
	// Name is how the report calls it; Image and Digest, if given, say which
	// build it was, as the gate compares it with what runs.
	Name, Image, Digest string
	// Command starts it: a program and its arguments. In them and in Files,
	// ${DIR} is its folder, in which it is started, ${NAMESPACE} and ${SERVICE}
	// say what to follow, port http, and ${KUBECONFIG} is how it reaches the API
	// server. The environment has KUBECONFIG, NAMESPACE and SERVICE as well.
	Command []string
	// Files are written into its folder before it starts, by name.
	Files map[string]string
	// URL is where its load balancer takes requests. "" is the HAProxy of the
	// lab, whose backend "users" it fills over the socket ${DIR}/admin.sock.
	URL string
	// Balancer starts the load balancer at URL, as Command starts the consumer, and
	// stays in the foreground. It is started before the consumer and restarted for
	// the check that is about that; nil means that somebody else starts it, and
	// leaves that check out. The lab's HAProxy does not need it.
	Balancer []string
	// ReadsEndpoints lets it read Endpoints, Services and Pods beside
	// EndpointSlices. Without it, a consumer that asks is refused, and the audit
	// log shows that.
	ReadsEndpoints bool
}

// identity is what the report says of the consumer. Without the digest of an image
// it is that of the program's file: a report that names no digest proves nothing
// about what runs elsewhere.
func (c Consumer) identity() (report.Consumer, error) {
	of := report.Consumer{Name: c.Name, Image: c.Image, Digest: c.Digest}
	if of.Digest != "" {
		return of, nil
	}
	of.Kind = "process"
	program, err := exec.LookPath(c.Command[0])
	if err != nil {
		return of, fmt.Errorf("consumer %s: %w", c.Name, err)
	}
	file, err := os.Open(program)
	if err != nil {
		return of, fmt.Errorf("consumer %s: %w", c.Name, err)
	}
	defer file.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, file); err != nil {
		return of, fmt.Errorf("consumer %s: read its program: %w", c.Name, err)
	}
	of.Digest = "sha256:" + hex.EncodeToString(hash.Sum(nil))
	return of, nil
}

func (c Consumer) verify() error {
	switch {
	case c.Name == "":
		return errors.New("the consumer has no name")
	case len(c.Command) == 0 || c.Command[0] == "":
		return fmt.Errorf("consumer %s: nothing says how to start it", c.Name)
	case c.URL == "" && len(c.Balancer) > 0:
		return fmt.Errorf("consumer %s: a load balancer to start, and no URL of it", c.Name)
	}
	return nil
}

// Slicewright is "slicewright run", which publishes to a HAProxy.
func Slicewright(program string) Consumer {
	return Consumer{
		Name:    "slicewright",
		Command: []string{program, "run", "--config", "slicewright.yaml", "--kubeconfig", "${KUBECONFIG}"},
		Files: map[string]string{"slicewright.yaml": `apiVersion: slicewright.dev/v1alpha1
kind: Config
namespaces: ["${NAMESPACE}"]
upstreams:
- name: users
  service: ${NAMESPACE}/${SERVICE}
  port: http
  policy: ready
  to:
  - haproxy: {socket: "${DIR}/admin.sock", backend: users}
`},
	}
}

// EndpointsReader is the reader of Endpoints that the experiment has beside every
// consumer. As the consumer it is the counter-experiment: its checks must fail.
func EndpointsReader(command []string) Consumer {
	return Consumer{
		Name: "endpoints-reader",
		Command: append(append([]string{}, command...), "--kubeconfig=${KUBECONFIG}", "--namespace=${NAMESPACE}", "--service=${SERVICE}",
			"--dir=${DIR}", "--socket=admin.sock", "--backend=users"),
		ReadsEndpoints: true,
	}
}

// haproxyConfig has a frontend at ${PORT}. Without retries, a request to a Pod
// that is gone shows as a failure and not as a second try.
const haproxyConfig = `global
  stats socket unix@admin.sock level admin
defaults
  mode http
  timeout connect 2s
  timeout client 1m
  timeout server 1m
  retries 0
frontend in
  bind 127.0.0.1:${PORT}
  default_backend users
backend users
  balance roundrobin
`

// place fills in a text what holds for one consumer.
type place struct{ dir, namespace, service, kubeconfig string }

func (p place) fill(text string) string {
	return strings.NewReplacer("${DIR}", p.dir, "${NAMESPACE}", p.namespace, "${SERVICE}", p.service, "${KUBECONFIG}", p.kubeconfig).Replace(text)
}

func (p place) fillAll(texts []string) []string {
	filled := make([]string, len(texts))
	for i, text := range texts {
		filled[i] = p.fill(text)
	}
	return filled
}

// write writes files into the folder.
func (p place) write(files map[string]string) error {
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(p.dir, name), []byte(p.fill(content)), 0o600); err != nil {
			return fmt.Errorf("write the consumer's files: %w", err)
		}
	}
	return nil
}
