package manifests

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/slicewright/slicewright/app/internal/find/evidence"
	"github.com/slicewright/slicewright/app/internal/find/textsource/detect"
	"github.com/slicewright/slicewright/app/internal/find/textsource/prometheus"
	"github.com/slicewright/slicewright/app/internal/find/textsource/yamltree"
)

// operator finds the objects of prometheus-operator and of VictoriaMetrics'
// operator that mean Endpoints, by what they say and by what they do not.
func (d *document) operator(n *yaml.Node, c place) {
	if role, ok := yamltree.Field(n, "serviceDiscoveryRole"); ok {
		if yamltree.Says(role.Value, "Endpoints") {
			d.report(role.Key, c, prometheus.OperatorHit(0, "serviceDiscoveryRole says Endpoints."))
		}
		return
	}
	kind, ok := yamltree.Field(n, "kind")
	if !ok {
		return
	}
	version := yamltree.Scalar(yamltree.Child(n, "apiVersion"))
	switch {
	case strings.HasPrefix(version, "monitoring.coreos.com/") && (yamltree.Says(kind.Value, "Prometheus") || yamltree.Says(kind.Value, "PrometheusAgent")):
		// A ServiceMonitor without the field follows its Prometheus, so that
		// only the Prometheus is a finding.
		spec := yamltree.Child(n, "spec")
		if spec == nil || yamltree.Child(spec, "serviceDiscoveryRole") != nil {
			return
		}
		d.report(kind.Key, c, prometheus.OperatorHit(0, "Without serviceDiscoveryRole the operator takes Endpoints, for every ServiceMonitor that it selects and for its Alertmanagers."))
	case strings.HasPrefix(version, "operator.victoriametrics.com/") && yamltree.Says(kind.Value, "VMServiceScrape"):
		role, given := yamltree.Field(yamltree.Child(n, "spec"), "discoveryRole")
		switch {
		case given && yamltree.Says(role.Value, "endpoints"):
			d.report(role.Key, c, prometheus.RoleHit(0))
		case !given && yamltree.Child(n, "spec") != nil:
			h := prometheus.RoleHit(0)
			h.Confidence = evidence.Possible
			h.Note = "Without discoveryRole the operator takes endpoints, unless it is itself set to enforce slices."
			d.report(kind.Key, c, h)
		}
	}
}

// chart finds charts' values and references in which the absence of a field
// means Endpoints.
func (d *document) chart(n *yaml.Node, c place) {
	for _, p := range yamltree.Pairs(n) {
		switch p.Key.Value {
		case "prometheusSpec", "agentSpec":
			if p.Value.Kind != yaml.MappingNode || yamltree.Scalar(yamltree.Child(p.Value, "serviceDiscoveryRole")) != "" {
				continue
			}
			d.report(p.Key, c, prometheus.OperatorHit(0, "Without serviceDiscoveryRole the chart leaves the choice to the operator, which takes Endpoints."))
		case "kubeletEndpointsEnabled":
			if yamltree.Scalar(p.Value) == "true" {
				d.report(p.Key, c, prometheus.KubeletHit())
			}
		}
	}
	var ref yamltree.Pair
	switch {
	case c.key() == "dependencies" && yamltree.Scalar(yamltree.Child(n, "repository")) != "":
		ref, _ = yamltree.Field(n, "name")
	default:
		ref, _ = yamltree.Field(n, "chart")
	}
	if ref.Value == nil || ref.Value.Kind != yaml.ScalarNode {
		return
	}
	// Values in the same document have the last word, and their own finding.
	if hit, known := prometheus.ChartHit(ref.Value.Value); known && !d.hasValues() {
		d.report(ref.Key, c, hit)
	}
}

func (d *document) hasValues() bool {
	if d.values == 0 {
		d.values = -1
		if detect.ContainsAny(d.s.Data, prometheus.ValueWords) {
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
		if resource := yamltree.Scalar(e); resource == "endpoints" {
			at = e
		} else if prometheus.IsCollector(resource) {
			others++
		}
	}
	if at != nil && (others > 0 || c.under("kube-state-metrics", "kubeStateMetrics")) {
		d.report(at, c, prometheus.StateMetricsHit(evidence.Likely, ""))
	}
}
