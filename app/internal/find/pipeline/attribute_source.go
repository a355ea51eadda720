package pipeline

import (
	"path"
	"strings"

	"github.com/slicewright/slicewright/app/internal/find/evidence"
)

// partsOf are directories whose children are programs of their own by custom.
var partsOf = map[string]bool{
	"cmd": true, "apps": true, "services": true, "charts": true, "packages": true, "projects": true, "deploy": true, "components": true,
}

// attributeSource names the application and the owner of findings in a tree of
// source that do not name them: a program's own directory if the tree has such,
// else the tree itself; the owner that the tree knows.
func attributeSource(t *Tree, findings []evidence.Finding) {
	for i := range findings {
		s := &findings[i].Subject
		locator := ""
		if len(findings[i].Evidence) > 0 {
			locator = findings[i].Evidence[0].Locator
		}
		if s.Application == "" && s.ServiceAccount == "" && s.User == "" && s.Workload.Name == "" {
			s.Application = applicationOf(locator, t.Name)
		}
		if s.Owner == "" && t.OwnerOf != nil {
			s.Owner = t.OwnerOf(locator)
		}
	}
}

func applicationOf(locator, tree string) string {
	parts := strings.Split(path.Clean(locator), "/")
	for i := 0; i+2 < len(parts); i++ {
		if partsOf[parts[i]] {
			return parts[i+1]
		}
	}
	return tree
}
