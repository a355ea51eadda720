// Package prometheus knows what Prometheus, its operator, kube-state-metrics and
// their configuration do with Endpoints, and what each part of it becomes with
// EndpointSlices. Programs and manifests both write such configuration.
package prometheus
