package demo

import "fmt"

const namespaceYAML = `
apiVersion: v1
kind: Namespace
metadata: {name: vector-lab}
`

const serviceYAML = `
apiVersion: v1
kind: Service
metadata: {name: reports}
spec:
  selector: {app: reports}
  ports: [{name: http, port: 80, targetPort: 8080}]
---`

// deploymentYAML is a Deployment whose Pods take their addresses from a range.
func deploymentYAML(name string, replicas int, pool string) string {
	return fmt.Sprintf(`
apiVersion: apps/v1
kind: Deployment
metadata: {name: %[1]s}
spec:
  replicas: %[2]d
  selector: {matchLabels: {app: reports, set: %[1]s}}
  template:
    metadata:
      labels: {app: reports, set: %[1]s}
      annotations: {lab.slicewright.dev/pool: %[3]s}
    spec:
      containers: [{name: reports, image: reports, ports: [{containerPort: 8080}]}]
---`, name, replicas, pool)
}

const haproxyConfig = `global
  stats socket unix@admin.sock level admin
defaults
  mode http
  timeout connect 2s
  timeout client 1m
  timeout server 1m
  retries 0
frontend users
  bind 127.0.0.1:8000
  default_backend reports
backend reports
  balance roundrobin
`

const slicewrightConfig = `apiVersion: slicewright.dev/v1alpha1
kind: Config
namespaces: [vector-lab]
upstreams:
- name: reports
  service: vector-lab/reports
  port: http
  policy: ready
  to:
  - haproxy: {socket: "${DIR}/admin.sock", backend: reports}
`
