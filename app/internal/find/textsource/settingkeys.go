package textsource

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/slicewright/slicewright/app/internal/find/evidence"
)

// datadogHit is Datadog's agent with its discovery by Endpoints.
func datadogHit() hit {
	return hit{
		detector: "text/library-setting", class: evidence.Reader, confidence: evidence.Possible, verb: "watch", access: "informer",
		advice: "Set kubernetes_use_endpoint_slices where the agent's release has it, and give the ServiceAccount list and watch on endpointslices.",
		note:   "Datadog's kube_endpoints discovery watches Endpoints unless it is told to use slices.",
	}
}

// settings judges keys of the libraries' own configuration in YAML.
func (d *document) settings(n *yaml.Node, c place) {
	for _, p := range pairs(n) {
		value := strings.ToLower(strings.TrimSpace(scalar(p.value)))
		if value == "" {
			continue
		}
		key := p.key.Value
		switch key {
		case "use-endpoint-slices", "useEndpointSlices", springSetting, "PATRONI_KUBERNETES_USE_ENDPOINTS":
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
				d.report(p.key, c, datadogHit())
			}
			continue
		case "resourceLock":
			if strings.HasPrefix(value, "endpoints") && c.under("leaderElection") {
				d.report(p.key, c, hit{detector: "text/leader-lock", class: evidence.Lock, verb: "update", advice: adviceLock})
			}
			continue
		case "name":
			if value == "kube_endpoints" && c.under("listeners", "config_providers") {
				d.report(p.key, c, datadogHit())
				continue
			}
			if p.value.Value != "PATRONI_KUBERNETES_USE_ENDPOINTS" {
				continue
			}
			v, ok := field(n, "value")
			if !ok {
				continue
			}
			key, value = p.value.Value, strings.ToLower(scalar(v.value))
		case "endpoints":
			// kube-state-metrics' chart once had a switch a resource.
			if c.key() == "collectors" && value == "true" {
				d.report(p.key, c, stateMetricsHit(evidence.Likely, ""))
			}
			continue
		default:
			continue
		}
		if setting := turnsToSlices(key, value); setting != "" {
			d.s.turn(setting)
		}
		if h, ok := settingHit(key, value); ok {
			d.report(p.key, c, h)
		}
	}
}
