package registry

import "encoding/json"

// RolePatch is what a Role lacks so that its readers of Endpoints may read
// EndpointSlices.
type RolePatch struct {
	Role    string   `json:"role"`
	Locator string   `json:"locator,omitempty"`
	For     []string `json:"for"`
	// YAML are the rules to add, JSONPatch the same for kubectl patch --type json.
	YAML      string          `json:"yaml,omitempty"`
	JSONPatch json.RawMessage `json:"jsonPatch,omitempty"`
	// Refused says why rules cannot be carried over.
	Refused []string `json:"refused,omitempty"`
}
