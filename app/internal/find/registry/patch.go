package registry

import (
	"encoding/json"
	"fmt"

	"github.com/slicewright/slicewright/app/internal/find/rbac"
)

// RolePatch is what a Role lacks so that those who read Endpoints through it may
// read EndpointSlices.
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

// NewRolePatch writes out what the evaluation of RBAC found missing.
func NewRolePatch(p rbac.Patch) RolePatch {
	out := RolePatch{Role: p.Role.String(), Locator: p.Locator, For: p.For}
	if len(p.Add) > 0 {
		out.YAML = p.YAML()
		if b, err := p.JSONPatch(); err == nil {
			out.JSONPatch = b
		}
	}
	for _, r := range p.Refused {
		out.Refused = append(out.Refused, fmt.Sprint(r))
	}
	return out
}
