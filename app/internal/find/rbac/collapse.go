package rbac

import (
	"fmt"

	"github.com/slicewright/slicewright/app/internal/find/evidence"
)

// Collapse replaces the broad findings by one for each rule that they rest on,
// which says how many there are and names the first few. The others stay, in
// their order, and come first.
//
// Nothing may be collapsed that is to be joined with other evidence: a person
// who looks at the list is the one to call it for.
func Collapse(findings []evidence.Finding) []evidence.Finding {
	type key struct {
		detector, locator string
		class             evidence.Class
	}
	type group struct {
		first evidence.Finding
		names []string
	}
	var out []evidence.Finding
	var order []key
	groups := make(map[key]*group)
	for _, f := range findings {
		if f.Confidence != evidence.Broad || len(f.Evidence) == 0 {
			out = append(out, f)
			continue
		}
		k := key{f.Evidence[0].Detector, f.Evidence[0].Locator, f.Class}
		if groups[k] == nil {
			groups[k] = &group{first: f}
			order = append(order, k)
		}
		groups[k].names = append(groups[k].names, f.Subject.Application)
	}
	for _, k := range order {
		g := groups[k]
		if len(g.names) == 1 {
			out = append(out, g.first)
			continue
		}
		f := g.first
		out = append(out, evidence.Finding{
			Subject: evidence.Subject{Application: fmt.Sprintf("%d subjects", len(g.names))},
			Class:   f.Class, Confidence: evidence.Broad,
			Verbs: f.Verbs, Namespaces: f.Namespaces, Evidence: f.Evidence[:1],
			Notes: []string{"Among them " + someOf(g.names, 5) + "."},
		})
	}
	return out
}
