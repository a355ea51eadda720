package textsource

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/slicewright/slicewright/app/internal/find/evidence"
)

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

// relabel finds the labels that only role endpoints sets.
func (d *document) relabel(n *yaml.Node, c place, v string) {
	in := d.scalarSource(n)
	if in == nil {
		return
	}
	in.subject = c.subject
	relabel(in, 0, v, true)
}

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
