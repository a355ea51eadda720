package prometheus

import "strings"

// relabels maps the labels of role endpoints to those of role endpointslice.
// A label that is not here has no successor of the same meaning.
var relabels = []struct{ old, new string }{
	{"__meta_kubernetes_endpoints_name", "__meta_kubernetes_endpointslice_name"},
	{"__meta_kubernetes_endpoints_labelpresent_", "__meta_kubernetes_endpointslice_labelpresent_"},
	{"__meta_kubernetes_endpoints_label_", "__meta_kubernetes_endpointslice_label_"},
	{"__meta_kubernetes_endpoints_annotationpresent_", "__meta_kubernetes_endpointslice_annotationpresent_"},
	{"__meta_kubernetes_endpoints_annotation_", "__meta_kubernetes_endpointslice_annotation_"},
	{"__meta_kubernetes_endpoint_port_name", "__meta_kubernetes_endpointslice_port_name"},
	{"__meta_kubernetes_endpoint_port_protocol", "__meta_kubernetes_endpointslice_port_protocol"},
	{"__meta_kubernetes_endpoint_ready", "__meta_kubernetes_endpointslice_endpoint_conditions_ready"},
	{"__meta_kubernetes_endpoint_address_target_kind", "__meta_kubernetes_endpointslice_address_target_kind"},
	{"__meta_kubernetes_endpoint_address_target_name", "__meta_kubernetes_endpointslice_address_target_name"},
	{"__meta_kubernetes_endpoint_hostname", "__meta_kubernetes_endpointslice_endpoint_hostname"},
	{"__meta_kubernetes_endpoint_node_name", "__meta_kubernetes_endpointslice_endpoint_node_name"},
}

// relabelAdvice says what a label becomes.
func relabelAdvice(label string) string {
	for _, r := range relabels {
		if rest, ok := strings.CutPrefix(label, r.old); ok {
			return "With role: endpointslice this label is " + r.new + rest + "."
		}
	}
	return "With role: endpointslice this label is not set; look for one of __meta_kubernetes_endpointslice_* that means the same."
}
