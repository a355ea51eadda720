package manifests

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/slicewright/slicewright/app/internal/find/evidence"
	"github.com/slicewright/slicewright/app/internal/find/textsource/detect"
	"github.com/slicewright/slicewright/app/internal/find/textsource/prometheus"
	"github.com/slicewright/slicewright/app/internal/find/textsource/settings"
	"github.com/slicewright/slicewright/app/internal/find/textsource/yamltree"
)

// datadogHit is Datadog's agent with its discovery by Endpoints.
func datadogHit() detect.Hit {
	return detect.Hit{
		Detector: "text/library-setting", Class: evidence.Reader, Confidence: evidence.Possible, Verb: "watch", Access: "informer",
		Advice: "Set kubernetes_use_endpoint_slices where the agent's release has it, and give the ServiceAccount list and watch on endpointslices.",
		Note:   "Datadog's kube_endpoints discovery watches Endpoints unless it is told to use slices.",
	}
}

// settings judges keys of the libraries' own configuration in YAML.
func (d *document) settings(n *yaml.Node, c place) {
	for _, p := range yamltree.Pairs(n) {
		value := strings.ToLower(strings.TrimSpace(yamltree.Scalar(p.Value)))
		if value == "" {
			continue
		}
		key := p.Key.Value
		switch key {
		case "use-endpoint-slices", "useEndpointSlices", settings.SpringSetting, "PATRONI_KUBERNETES_USE_ENDPOINTS":
		case "use_endpoints":
			if c.key() != "kubernetes" {
				continue
			}
			key = "patroni"
		case "mode":
			if c.key() != "discovery" || !c.under("kubernetes") || !c.under("client") {
				continue
			}
			key = "kubernetes.client.discovery.mode"
		case "DD_EXTRA_LISTENERS", "DD_EXTRA_CONFIG_PROVIDERS":
			if strings.Contains(value, "kube_endpoints") {
				d.report(p.Key, c, datadogHit())
			}
			continue
		case "resourceLock":
			if strings.HasPrefix(value, "endpoints") && c.under("leaderElection") {
				d.report(p.Key, c, detect.Hit{Detector: "text/leader-lock", Class: evidence.Lock, Verb: "update", Advice: detect.AdviceLock})
			}
			continue
		case "name":
			if value == "kube_endpoints" && c.under("listeners", "config_providers") {
				d.report(p.Key, c, datadogHit())
				continue
			}
			if p.Value.Value != "PATRONI_KUBERNETES_USE_ENDPOINTS" {
				continue
			}
			v, ok := yamltree.Field(n, "value")
			if !ok {
				continue
			}
			key, value = p.Value.Value, strings.ToLower(yamltree.Scalar(v.Value))
		case "endpoints":
			// kube-state-metrics' chart once had a switch a resource.
			if c.key() == "collectors" && value == "true" {
				d.report(p.Key, c, prometheus.StateMetricsHit(evidence.Likely, ""))
			}
			continue
		default:
			continue
		}
		if setting := settings.TurnsToSlices(key, value); setting != "" {
			d.s.Turn(setting)
		}
		if h, ok := settings.SettingHit(key, value); ok {
			d.report(p.Key, c, h)
		}
	}
}
