package demo

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
