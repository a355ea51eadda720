package prometheus

import (
	_ "embed"
	"regexp"
	"strings"

	"github.com/slicewright/slicewright/app/internal/find/evidence"
	"github.com/slicewright/slicewright/app/internal/find/textsource/detect"
	"github.com/slicewright/slicewright/app/internal/find/textsource/table"
)

// The EndpointSlice way of Prometheus and of what belongs to it.
const (
	adviceRole        = "Use role: endpointslice, rename the __meta_kubernetes_endpoint* labels, and give the ServiceAccount list and watch on endpointslices."
	adviceOperator    = "Set serviceDiscoveryRole: EndpointSlice and give the ServiceAccount list and watch on endpointslices."
	adviceKubelet     = "Run the operator with --kubelet-endpointslice=true and --kubelet-endpoints=false (chart: kubeletEndpointSliceEnabled, kubeletEndpointsEnabled)."
	AdviceStateMetric = "List endpointslices instead of endpoints, and use the kube_endpointslice_* series."
)

//go:embed prometheus.yaml
var knownTable []byte

var known = table.Load[struct {
	Labels []struct {
		Old string `yaml:"old"`
		New string `yaml:"new"`
	} `yaml:"labels"`
	Discovery  table.Set         `yaml:"discovery"`
	BesideRole table.Set         `yaml:"beside_role"`
	Charts     map[string]string `yaml:"charts"`
	Collectors table.Set         `yaml:"collectors"`
}]("prometheus.yaml", knownTable)

// IsBesideRole reports whether a key is a field of a Kubernetes service
// discovery, which tells its role from any other role.
func IsBesideRole(key string) bool { return known.BesideRole[key] }

// IsCollector reports whether kube-state-metrics collects a resource, endpoints
// apart.
func IsCollector(resource string) bool { return known.Collectors[resource] }

// ChartHit is a chart whose default means Endpoints, by its name or a path that
// ends in it, and whether it is known.
func ChartHit(name string) (detect.Hit, bool) {
	note, found := known.Charts[name[strings.LastIndexByte(name, '/')+1:]]
	h := OperatorHit(0, note+" The values that it is installed with were not seen here.")
	h.Detector, h.Confidence = "text/chart-default", evidence.Possible
	return h, found
}

// RoleHit is a service discovery that watches Endpoints.
func RoleHit(offset int) detect.Hit {
	return detect.Hit{
		Offset: offset, Detector: "text/prometheus-role", Class: evidence.Reader, Confidence: evidence.Likely,
		Verb: "watch", Access: "informer", Advice: adviceRole,
		Note: "Lists and watches Endpoints, and Services and Pods with them.",
	}
}

var metaLabel = regexp.MustCompile(`__meta_kubernetes_endpoints?_[a-zA-Z0-9_]*`)

// Relabel reports each label of role endpoints in a text at an offset. Without
// raw, the text is not there byte for byte, and its start is the place.
func Relabel(s *detect.Text, offset int, v string, raw bool) {
	for _, at := range metaLabel.FindAllStringIndex(v, 64) {
		h := detect.Hit{
			Offset: offset, Detector: "text/prometheus-relabel", Class: evidence.Reader, Confidence: evidence.Likely,
			Verb: "watch", Access: "config", Advice: relabelAdvice(v[at[0]:at[1]]),
			Note: "Must change together with the role; with role endpointslice it matches nothing.",
		}
		if raw {
			h.Offset += at[0]
		}
		s.Report(h)
	}
}

// IsDiscovery reports whether a key holds Kubernetes service discoveries: in
// Prometheus, its agents and forks, and in the operators' objects.
func IsDiscovery(key string) bool {
	return known.Discovery[strings.ToLower(strings.ReplaceAll(key, "_", ""))]
}

// StateMetric is a series of kube-state-metrics about Endpoints.
var StateMetric = regexp.MustCompile(`\bkube_endpoint_[a-z_]+`)

// OperatorHit is a Prometheus that the operator configures to watch Endpoints.
func OperatorHit(offset int, note string) detect.Hit {
	return detect.Hit{
		Offset: offset, Detector: "text/prometheus-operator", Class: evidence.Reader, Confidence: evidence.Likely,
		Verb: "watch", Access: "informer", Advice: adviceOperator, Note: note,
	}
}

// ValueWords are in a chart's values that speak of the role.
var ValueWords = detect.Needles("serviceDiscoveryRole", "prometheusSpec")

// KubeletHit is the operator as a producer: it writes the kubelets' Endpoints.
func KubeletHit() detect.Hit {
	return detect.Hit{
		Detector: "text/prometheus-operator", Class: evidence.Producer, Verb: "update", Access: "config", Advice: adviceKubelet,
		Note: "The operator writes an Endpoints object for the kubelets.",
	}
}

// StateMetricsHit is kube-state-metrics, which watches Endpoints.
func StateMetricsHit(conf evidence.Confidence, note string) detect.Hit {
	return detect.Hit{
		Detector: "text/state-metrics", Class: evidence.Reader, Confidence: conf, Verb: "watch", Access: "informer",
		Advice: AdviceStateMetric, Note: note,
	}
}

// ScrapeWords are in what configures Kubernetes service discovery.
var ScrapeWords = detect.Needles("kubernetes_sd", "kubernetesSD", "kubernetesSd", "discovery.kubernetes", "scrape_config", "scrapeConfig")
