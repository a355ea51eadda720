package pipeline

import (
	"fmt"

	"github.com/slicewright/slicewright/app/internal/find/rbac"
	"github.com/slicewright/slicewright/app/internal/find/registry"
)

// rolePatch writes out what the evaluation of RBAC found missing.
func rolePatch(p rbac.Patch) registry.RolePatch {
	out := registry.RolePatch{Role: p.Role.String(), Locator: p.Locator, For: p.For}
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
