package textsource

import (
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/slicewright/slicewright/app/internal/find/evidence"
)

// isSDKey reports whether a key holds Kubernetes service discoveries: in
// Prometheus, its agents and forks, and in the operators' objects.
func isSDKey(key string) bool {
	switch strings.ToLower(strings.ReplaceAll(key, "_", "")) {
	case "kubernetessdconfigs", "kubernetessdconfig", "kubernetessd":
		return true
	}
	return false
}

// sdFields are what stands beside role in a Kubernetes service discovery, and
// tells it from any other role.
var sdFields = []string{"namespaces", "selectors", "api_server", "kubeconfig_file", "attach_metadata", "own_namespace"}

// roleHit is a service discovery that watches Endpoints.
func roleHit(offset int) hit {
	return hit{
		offset: offset, detector: "text/prometheus-role", class: evidence.Reader, confidence: evidence.Likely,
		verb: "watch", access: "informer", advice: adviceRole,
		note: "Lists and watches Endpoints, and Services and Pods with them.",
	}
}

// scrapeRole finds role: endpoints in a service discovery.
func (d *document) scrapeRole(n *yaml.Node, c place) {
	for _, role := range pairs(n) {
		if role.key.Value != "role" || !says(role.value, "endpoints") && !says(role.value, "Endpoints") {
			continue
		}
		if !c.inSD && !hasAny(n, sdFields) {
			continue
		}
		h := roleHit(0)
		if v := strings.TrimSpace(scalar(role.value)); !strings.EqualFold(v, "endpoints") {
			h.note += " Which role it is depends on the values that it is rendered with."
		}
		if nss := child(n, "namespaces", "names"); nss != nil && len(nss.Content) == 1 {
			h.namespace = namespaceOf(scalar(nss.Content[0]))
		}
		d.report(role.key, c, h)
	}
}

// hasAny reports whether a mapping has one of the keys.
func hasAny(n *yaml.Node, keys []string) bool {
	for _, p := range pairs(n) {
		if slices.Contains(keys, p.key.Value) {
			return true
		}
	}
	return false
}

var metaLabel = regexp.MustCompile(`__meta_kubernetes_endpoints?_[a-zA-Z0-9_]*`)

// relabel finds the labels that only role endpoints sets.
func (d *document) relabel(n *yaml.Node, c place, v string) {
	in := d.scalarSource(n)
	if in == nil {
		return
	}
	in.subject = c.subject
	relabel(in, 0, v, true)
}

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

var stateMetric = regexp.MustCompile(`\bkube_endpoint_[a-z_]+`)

// series finds kube-state-metrics' series about Endpoints in an expression:
// who queries them depends on Endpoints at second hand.
func (d *document) series(n *yaml.Node, c place, v string) {
	at := stateMetric.FindStringIndex(v)
	if at == nil || c.key() != "expr" && c.key() != "query" && c.key() != "expression" {
		return
	}
	in := d.scalarSource(n)
	if in == nil {
		return
	}
	in.subject = c.subject
	in.report(hit{
		offset: at[0], detector: "text/state-metrics-series", class: evidence.Tooling, confidence: evidence.Possible, verb: "watch", access: "config",
		advice: adviceStateMetric, note: "Reads Endpoints at second hand, from kube-state-metrics.",
	})
}
