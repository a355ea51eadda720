package prometheus

import (
	"strings"
	"testing"
)

func TestARelabelFindingSaysWhatTheLabelBecomes(t *testing.T) {
	tests := map[string]string{
		"__meta_kubernetes_endpoint_port_name":     "__meta_kubernetes_endpointslice_port_name.",
		"__meta_kubernetes_endpoint_ready":         "__meta_kubernetes_endpointslice_endpoint_conditions_ready.",
		"__meta_kubernetes_endpoints_label_a_b":    "__meta_kubernetes_endpointslice_label_a_b.",
		"__meta_kubernetes_endpoint_of_the_future": "is not set",
	}
	for label, want := range tests {
		if got := relabelAdvice(label); !strings.Contains(got, want) {
			t.Errorf("%s: %q lacks %q", label, got, want)
		}
	}
}
