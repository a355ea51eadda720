package textsource

import (
	"bytes"

	"github.com/slicewright/slicewright/app/internal/find/wordsearch"
)

// The prefilter: a file without one of these words has nothing to find, and
// most files have none. Each list holds what the detectors of a kind need.
var (
	// "ndpoint" is in Endpoints, endpoints and endpoint_slices alike;
	// "amespaced" in a client's methods put together at run time.
	wordsCode = wordsearch.New("ndpoint", "kubectl", "amespaced")
	wordsYAML = wordsearch.New("ndpoint", "NDPOINT", "kubectl", "oc get ", "monitoring.coreos.com", "kube-state-metrics",
		"prometheusSpec", "kube-prometheus", "operator.victoriametrics.com")
	wordsShell    = wordsearch.New("ndpoint") // and "ep", in mentionsCommands
	wordsHCL      = wordsearch.New("ndpoint", "kubectl", "kube-state-metrics", "kube-prometheus")
	wordsSettings = wordsearch.New("ndpoint", "NDPOINT", "ubernetes")
)

// longestWord is how much of a block must be seen again with the next one.
const longestWord = 32

// hasWord reports whether a text of this kind has a word to look for.
func (k kind) hasWord(data []byte) bool {
	switch k {
	case kindCode:
		return wordsCode.In(data)
	case kindShell, kindLines:
		return mentionsCommands(data)
	case kindYAML, kindTemplate:
		return wordsYAML.In(data)
	case kindHCL:
		return wordsHCL.In(data)
	case kindSettings:
		return wordsSettings.In(data)
	}
	return false
}

// containsAny reports whether data has one of a few words.
func containsAny(data []byte, words [][]byte) bool {
	for _, w := range words {
		if bytes.Contains(data, w) {
			return true
		}
	}
	return false
}

func needles(words ...string) [][]byte {
	out := make([][]byte, len(words))
	for i, w := range words {
		out[i] = []byte(w)
	}
	return out
}
