package textsource

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/slicewright/slicewright/app/internal/find/evidence"
)

// operator finds the objects of prometheus-operator and of VictoriaMetrics'
// operator that mean Endpoints, by what they say and by what they do not.
func (d *document) operator(n *yaml.Node, c place) {
	if role, ok := field(n, "serviceDiscoveryRole"); ok {
		if says(role.value, "Endpoints") {
			d.report(role.key, c, operatorHit(0, "serviceDiscoveryRole says Endpoints."))
		}
		return
	}
	kind, ok := field(n, "kind")
	if !ok {
		return
	}
	version := scalar(child(n, "apiVersion"))
	switch {
	case strings.HasPrefix(version, "monitoring.coreos.com/") && (says(kind.value, "Prometheus") || says(kind.value, "PrometheusAgent")):
		// A ServiceMonitor without the field follows its Prometheus, so that
		// only the Prometheus is a finding.
		spec := child(n, "spec")
		if spec == nil || child(spec, "serviceDiscoveryRole") != nil {
			return
		}
		d.report(kind.key, c, operatorHit(0, "Without serviceDiscoveryRole the operator takes Endpoints, for every ServiceMonitor that it selects and for its Alertmanagers."))
	case strings.HasPrefix(version, "operator.victoriametrics.com/") && says(kind.value, "VMServiceScrape"):
		role, given := field(child(n, "spec"), "discoveryRole")
		switch {
		case given && says(role.value, "endpoints"):
			d.report(role.key, c, roleHit(0))
		case !given && child(n, "spec") != nil:
			h := roleHit(0)
			h.confidence = evidence.Possible
			h.note = "Without discoveryRole the operator takes endpoints, unless it is itself set to enforce slices."
			d.report(kind.key, c, h)
		}
	}
}

// chart finds charts' values and references in which the absence of a field
// means Endpoints.
func (d *document) chart(n *yaml.Node, c place) {
	for _, p := range pairs(n) {
		switch p.key.Value {
		case "prometheusSpec", "agentSpec":
			if p.value.Kind != yaml.MappingNode || scalar(child(p.value, "serviceDiscoveryRole")) != "" {
				continue
			}
			d.report(p.key, c, operatorHit(0, "Without serviceDiscoveryRole the chart leaves the choice to the operator, which takes Endpoints."))
		case "kubeletEndpointsEnabled":
			if scalar(p.value) == "true" {
				d.report(p.key, c, kubeletHit())
			}
		}
	}
	var ref pair
	switch {
	case c.key() == "dependencies" && scalar(child(n, "repository")) != "":
		ref, _ = field(n, "name")
	default:
		ref, _ = field(n, "chart")
	}
	if ref.value == nil || ref.value.Kind != yaml.ScalarNode {
		return
	}
	name := ref.value.Value[strings.LastIndexByte(ref.value.Value, '/')+1:]
	note, known := charts[name]
	if !known {
		return
	}
	// Values in the same document have the last word, and their own finding.
	if d.hasValues() {
		return
	}
	h := operatorHit(0, note+" The values that it is installed with were not seen here.")
	h.detector, h.confidence = "text/chart-default", evidence.Possible
	d.report(ref.key, c, h)
}

func (d *document) hasValues() bool {
	if d.values == 0 {
		d.values = -1
		if containsAny(d.s.data, valueWords) {
			d.values = 1
		}
	}
	return d.values > 0
}

// collectors finds kube-state-metrics' list of resources in charts' values.
func (d *document) collectors(n *yaml.Node, c place) {
	others := 0
	var at *yaml.Node
	for _, e := range n.Content {
		switch scalar(e) {
		case "endpoints":
			at = e
		case "pods", "configmaps", "deployments", "services", "nodes", "jobs", "cronjobs", "daemonsets", "replicasets", "secrets", "statefulsets", "namespaces", "ingresses":
			others++
		}
	}
	if at != nil && (others > 0 || c.under("kube-state-metrics", "kubeStateMetrics")) {
		d.report(at, c, stateMetricsHit(evidence.Likely, ""))
	}
}
