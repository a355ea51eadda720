package textsource

import "bytes"

// The prefilter: a file without one of these words has nothing to find, and
// most files have none. Each list holds what the detectors of a kind need,
// fewest words first: every word costs a pass over every byte.
var (
	// "ndpoint" is in Endpoints, endpoints and endPoints alike.
	wordsCode     = needles("ndpoint", "kubectl", "_namespaced_", "Namespaced", "kubernetes_sd")
	wordsShell    = needles("ndpoint", "ep")
	wordsLines    = needles("ndpoint", "kubectl", "oc ")
	wordsYAML     = needles("ndpoint", "NDPOINT", "kubectl", "monitoring.coreos.com", "kube-state-metrics", "prometheusSpec", "kube-prometheus-stack", "oc get", "kubernetes-discovery")
	wordsHCL      = needles("ndpoint", "kubectl", "kube-state-metrics", "kube-prometheus-stack")
	wordsSettings = needles("ndpoint", "NDPOINT", "ubernetes")
)

func needles(words ...string) [][]byte {
	out := make([][]byte, len(words))
	for i, w := range words {
		out[i] = []byte(w)
	}
	return out
}

// longestWord is how much of a block must be seen again with the next one.
const longestWord = 32

// words is the list for a kind.
func (k kind) words() [][]byte {
	switch k {
	case kindCode:
		return wordsCode
	case kindShell:
		return wordsShell
	case kindLines:
		return wordsLines
	case kindYAML, kindTemplate:
		return wordsYAML
	case kindHCL:
		return wordsHCL
	case kindSettings:
		return wordsSettings
	}
	return nil
}

// containsAny reports whether data has one of the words.
func containsAny(data []byte, words [][]byte) bool {
	for _, w := range words {
		if bytes.Contains(data, w) {
			return true
		}
	}
	return false
}
