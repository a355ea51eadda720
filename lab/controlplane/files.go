package controlplane

import (
	"fmt"
	"os"
	"path/filepath"
)

// auditPolicy records who reads and writes the two APIs that Slicewright is
// about, and nothing else. ResponseStarted stays in: a watch that never ends
// has no other event.
const auditPolicy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- level: Metadata
  resources:
  - {group: "", resources: [endpoints]}
  - {group: discovery.k8s.io, resources: [endpointslices]}
- level: None
`

// schedulerConfig lifts the client's rate limit: 240 Pods at once are the
// lab's everyday.
const schedulerConfig = `apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
leaderElection: {leaderElect: false}
clientConnection: {kubeconfig: %q, qps: 500, burst: 1000}
`

// writeFiles writes everything that the components read from the state folder.
func (c *ControlPlane) writeFiles() error {
	if err := os.MkdirAll(filepath.Join(c.config.Dir, "certs"), 0o700); err != nil {
		return fmt.Errorf("make the folder for certificates: %w", err)
	}
	if err := c.authority.writeFiles(c.config.Dir, c.addresses()); err != nil {
		return err
	}
	files := map[string][]byte{
		"audit-policy.yaml": []byte(auditPolicy),
		"scheduler.yaml":    fmt.Appendf(nil, schedulerConfig, filepath.Join(c.config.Dir, "kube-scheduler.kubeconfig")),
	}
	for _, name := range []string{ControllerManager, Scheduler, Proxy} {
		kubeconfig, err := c.Kubeconfig("system:" + name)
		if err != nil {
			return err
		}
		files[name+".kubeconfig"] = kubeconfig
	}
	admin, err := c.Kubeconfig("admin", "system:masters")
	if err != nil {
		return err
	}
	files["admin.kubeconfig"] = admin
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(c.config.Dir, name), content, 0o600); err != nil {
			return fmt.Errorf("write %s: %w", name, err)
		}
	}
	return nil
}
