package textsource

import "strings"

// advice is the EndpointSlice way to do what a verb does, in one sentence.
func advice(verb string) string {
	switch verb {
	case "create", "update", "patch", "delete":
		return "Write EndpointSlices (discovery.k8s.io/v1) with a managed-by label of your own, one a port set and family, instead of Endpoints."
	case "get":
		return "List the EndpointSlices with the label kubernetes.io/service-name set to the Service's name and join them; there can be more than one."
	case "watch":
		return "Watch EndpointSlices and join those that carry the Service's name in the label kubernetes.io/service-name; one event speaks of one slice only."
	}
	return "List EndpointSlices (discovery.k8s.io/v1) and join them by namespace and the label kubernetes.io/service-name."
}

const (
	adviceKubectl     = "Use kubectl get endpointslices -l kubernetes.io/service-name=NAME and read endpoints[].addresses with their conditions."
	adviceRole        = "Use role: endpointslice, rename the __meta_kubernetes_endpoint* labels, and give the ServiceAccount list and watch on endpointslices."
	adviceOperator    = "Set serviceDiscoveryRole: EndpointSlice and give the ServiceAccount list and watch on endpointslices."
	adviceKubelet     = "Run the operator with --kubelet-endpointslice=true and --kubelet-endpoints=false (chart: kubeletEndpointSliceEnabled, kubeletEndpointsEnabled)."
	adviceStateMetric = "List endpointslices instead of endpoints, and use the kube_endpointslice_* series."
	adviceManifest    = "Apply EndpointSlices instead; slicewright convert turns the manifest into them."
	adviceLock        = "Use the Lease lock; a lock is not a set of backends, so EndpointSlices are not its successor."
	adviceStateStore  = "Keep the state in ConfigMaps or Leases; this is no set of backends and cannot move to EndpointSlices as it is."
	adviceHelmLookup  = `Use lookup "discovery.k8s.io/v1" "EndpointSlice" NAMESPACE "" and keep those with the label kubernetes.io/service-name.`
	adviceTerraform   = "Use kubernetes_endpoint_slice_v1."
)

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
