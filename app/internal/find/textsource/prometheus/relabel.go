package prometheus

import "strings"

// relabelAdvice says what a label becomes.
func relabelAdvice(label string) string {
	for _, r := range known.Labels {
		if rest, ok := strings.CutPrefix(label, r.Old); ok {
			return "With role: endpointslice this label is " + r.New + rest + "."
		}
	}
	return "With role: endpointslice this label is not set; look for one of __meta_kubernetes_endpointslice_* that means the same."
}
