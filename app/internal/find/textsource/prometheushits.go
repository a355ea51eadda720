package textsource

import (
	"regexp"
	"strings"

	"github.com/slicewright/slicewright/app/internal/find/evidence"
)

// The EndpointSlice way of Prometheus and of what belongs to it.
const (
	adviceRole        = "Use role: endpointslice, rename the __meta_kubernetes_endpoint* labels, and give the ServiceAccount list and watch on endpointslices."
	adviceOperator    = "Set serviceDiscoveryRole: EndpointSlice and give the ServiceAccount list and watch on endpointslices."
	adviceKubelet     = "Run the operator with --kubelet-endpointslice=true and --kubelet-endpoints=false (chart: kubeletEndpointSliceEnabled, kubeletEndpointsEnabled)."
	adviceStateMetric = "List endpointslices instead of endpoints, and use the kube_endpointslice_* series."
)

// roleHit is a service discovery that watches Endpoints.
func roleHit(offset int) hit {
	return hit{
		offset: offset, detector: "text/prometheus-role", class: evidence.Reader, confidence: evidence.Likely,
		verb: "watch", access: "informer", advice: adviceRole,
		note: "Lists and watches Endpoints, and Services and Pods with them.",
	}
}

var metaLabel = regexp.MustCompile(`__meta_kubernetes_endpoints?_[a-zA-Z0-9_]*`)

// relabel reports each such label in a text that stands at an offset. Without
// raw, the text is not there byte for byte, and its start is the place.
func relabel(s *source, offset int, v string, raw bool) {
	for _, at := range metaLabel.FindAllStringIndex(v, 64) {
		h := hit{
			offset: offset, detector: "text/prometheus-relabel", class: evidence.Reader, confidence: evidence.Likely,
			verb: "watch", access: "config", advice: relabelAdvice(v[at[0]:at[1]]),
			note: "Must change together with the role; with role endpointslice it matches nothing.",
		}
		if raw {
			h.offset += at[0]
		}
		s.report(h)
	}
}

// sdFields are what stands beside role in a Kubernetes service discovery, and
// tells it from any other role.
var sdFields = []string{"namespaces", "selectors", "api_server", "kubeconfig_file", "attach_metadata", "own_namespace"}

// isSDKey reports whether a key holds Kubernetes service discoveries: in
// Prometheus, its agents and forks, and in the operators' objects.
func isSDKey(key string) bool {
	switch strings.ToLower(strings.ReplaceAll(key, "_", "")) {
	case "kubernetessdconfigs", "kubernetessdconfig", "kubernetessd":
		return true
	}
	return false
}

var stateMetric = regexp.MustCompile(`\bkube_endpoint_[a-z_]+`)

// operatorHit is a Prometheus that the operator configures to watch Endpoints.
func operatorHit(offset int, note string) hit {
	return hit{
		offset: offset, detector: "text/prometheus-operator", class: evidence.Reader, confidence: evidence.Likely,
		verb: "watch", access: "informer", advice: adviceOperator, note: note,
	}
}

// charts whose default means Endpoints, by name.
var charts = map[string]string{
	"kube-prometheus-stack": "Without prometheus.prometheusSpec.serviceDiscoveryRole its Prometheus watches Endpoints.",
	"prometheus-operator":   "Without prometheus.prometheusSpec.serviceDiscoveryRole its Prometheus watches Endpoints.",
	"kube-prometheus":       "Without a serviceDiscoveryRole its Prometheus watches Endpoints.",
}

// valueWords are in a chart's values that speak of the role.
var valueWords = needles("serviceDiscoveryRole", "prometheusSpec")

// kubeletHit is the operator as a producer: it writes the kubelets' Endpoints.
func kubeletHit() hit {
	return hit{
		detector: "text/prometheus-operator", class: evidence.Producer, verb: "update", access: "config", advice: adviceKubelet,
		note: "The operator writes an Endpoints object for the kubelets.",
	}
}

func stateMetricsHit(conf evidence.Confidence, note string) hit {
	return hit{
		detector: "text/state-metrics", class: evidence.Reader, confidence: conf, verb: "watch", access: "informer",
		advice: adviceStateMetric, note: note,
	}
}

// scrapeWords are in what configures Kubernetes service discovery.
var scrapeWords = needles("kubernetes_sd", "kubernetesSD", "kubernetesSd", "discovery.kubernetes", "scrape_config", "scrapeConfig")
