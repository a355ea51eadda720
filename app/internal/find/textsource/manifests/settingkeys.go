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

// settings judges keys of the libraries' own configuration.
func (d *document) settings(n *yaml.Node, c place) {
	for _, p := range yamltree.Pairs(n) {
		value := strings.ToLower(strings.TrimSpace(yamltree.Scalar(p.Value)))
		if value == "" || d.agentSetting(p, value, c) {
			continue
		}
		key := settingKey(p.Key.Value, c)
		if p.Key.Value == "name" { // an environment variable of a container
			if v, ok := yamltree.Field(n, "value"); ok && p.Value.Value == patroniSetting {
				key, value = patroniSetting, strings.ToLower(yamltree.Scalar(v.Value))
			}
		}
		if key == "" {
			continue
		}
		if setting := settings.TurnsToSlices(key, value); setting != "" {
			d.s.Turn(setting)
		}
		if h, ok := settings.HitOf(key, value); ok {
			d.report(p.Key, c, h)
		}
	}
}

// patroniSetting keeps Patroni's state in Endpoints.
const patroniSetting = "PATRONI_KUBERNETES_USE_ENDPOINTS"

// settingKey is the name of the library setting that a key means at its place,
// "" for another key.
func settingKey(key string, c place) string {
	switch key {
	case "use-endpoint-slices", "useEndpointSlices", "spring.cloud.kubernetes.discovery.use-endpoint-slices", patroniSetting:
		return key
	case "use_endpoints":
		if c.key() == "kubernetes" {
			return "patroni"
		}
	case "mode":
		if c.key() == "discovery" && c.under("kubernetes") && c.under("client") {
			return "kubernetes.client.discovery.mode"
		}
	}
	return ""
}

// agentSetting judges a setting of Datadog's agent, of a leader election and of
// kube-state-metrics' chart, and reports whether it is one.
func (d *document) agentSetting(p yamltree.Pair, value string, c place) bool {
	switch p.Key.Value {
	case "DD_EXTRA_LISTENERS", "DD_EXTRA_CONFIG_PROVIDERS":
		if strings.Contains(value, "kube_endpoints") {
			d.report(p.Key, c, datadogHit())
		}
	case "name":
		if value != "kube_endpoints" || !c.under("listeners", "config_providers") {
			return false
		}
		d.report(p.Key, c, datadogHit())
	case "resourceLock":
		if strings.HasPrefix(value, "endpoints") && c.under("leaderElection") {
			d.report(p.Key, c, detect.Hit{Detector: "text/leader-lock", Class: evidence.Lock, Verb: "update", Advice: detect.AdviceLock})
		}
	case "endpoints":
		// kube-state-metrics' chart once had a switch for each resource.
		if c.key() == "collectors" && value == "true" {
			d.report(p.Key, c, prometheus.StateMetricsHit(evidence.Likely, ""))
		}
	default:
		return false
	}
	return true
}
