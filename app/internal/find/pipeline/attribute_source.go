package registry

import (
	"path"
	"path/filepath"
	"strings"

	"github.com/slicewright/slicewright/app/internal/find/codeowners"
	"github.com/slicewright/slicewright/app/internal/find/evidence"
)

// partsOf are directories whose children are programs of their own by custom.
var partsOf = map[string]bool{
	"cmd": true, "apps": true, "services": true, "charts": true, "packages": true, "projects": true, "deploy": true, "components": true,
}

// AttributeSource names the application and the owner of findings in the source
// under dir that do not name them: a program's own directory if the tree has
// such, else the tree itself; the owner that CODEOWNERS gives the file.
func AttributeSource(findings []evidence.Finding, dir string, owners codeowners.Owners) {
	tree := filepath.Base(dir)
	if abs, err := filepath.Abs(dir); err == nil {
		tree = filepath.Base(abs)
	}
	for i := range findings {
		s := &findings[i].Subject
		locator := first(findings[i]).Locator
		if s.Application == "" && s.ServiceAccount == "" && s.User == "" && s.Workload.Name == "" {
			s.Application = applicationOf(locator, tree)
		}
		if s.Owner == "" {
			s.Owner = owners.Of(locator)
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
