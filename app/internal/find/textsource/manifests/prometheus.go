package manifests

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/slicewright/slicewright/app/internal/find/evidence"
	"github.com/slicewright/slicewright/app/internal/find/textsource/detect"
	"github.com/slicewright/slicewright/app/internal/find/textsource/prometheus"
	"github.com/slicewright/slicewright/app/internal/find/textsource/yamltree"
)

// scrapeRole finds role: endpoints in a service discovery.
func (d *document) scrapeRole(n *yaml.Node, c place) {
	for _, role := range yamltree.Pairs(n) {
		if role.Key.Value != "role" || !yamltree.Says(role.Value, "endpoints") && !yamltree.Says(role.Value, "Endpoints") {
			continue
		}
		if !c.inDiscovery && !slices.ContainsFunc(yamltree.Pairs(n), func(p yamltree.Pair) bool { return prometheus.IsBesideRole(p.Key.Value) }) {
			continue
		}
		h := prometheus.RoleHit(0)
		if v := strings.TrimSpace(yamltree.Scalar(role.Value)); !strings.EqualFold(v, "endpoints") {
			h.Note += " Which role it is depends on the values that it is rendered with."
		}
		if nss := yamltree.Child(n, "namespaces", "names"); nss != nil && len(nss.Content) == 1 {
			h.Namespace = detect.KnownNamespace(yamltree.Scalar(nss.Content[0]))
		}
		d.report(role.Key, c, h)
	}
}

// relabel finds the labels that only role endpoints sets.
func (d *document) relabel(n *yaml.Node, c place, v string) {
	in := d.scalarSource(n)
	if in == nil {
		return
	}
	in.Subject = c.subject
	prometheus.Relabel(in, 0, v, true)
}

// series finds kube-state-metrics' series about Endpoints in an expression:
// who queries them depends on Endpoints at second hand.
func (d *document) series(n *yaml.Node, c place, v string) {
	at := prometheus.StateMetric.FindStringIndex(v)
	if at == nil || !keys.Expressions[c.key()] {
		return
	}
	in := d.scalarSource(n)
	if in == nil {
		return
	}
	in.Subject = c.subject
	in.Report(detect.Hit{
		Offset: at[0], Detector: "text/state-metrics-series", Class: evidence.Tooling, Confidence: evidence.Possible, Verb: "watch", Access: "config",
		Advice: prometheus.AdviceStateMetric, Note: "Reads Endpoints at second hand, from kube-state-metrics.",
	})
}
