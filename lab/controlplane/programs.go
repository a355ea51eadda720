package controlplane

import (
	"fmt"
	"os"
	"path/filepath"
)

// Programs says where the components' programs are.
type Programs struct {
	// MultiCall is the lab-controlplane binary, which is every component by its
	// first argument.
	MultiCall string
	// Assets is a folder with programs of the components' own names, preferred
	// over MultiCall: what KUBEBUILDER_ASSETS names. "" means no such folder.
	Assets string
}

// command is how a component's command line begins.
func (p Programs) command(name string) ([]string, error) {
	if p.Assets != "" {
		path := filepath.Join(p.Assets, name)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return []string{path}, nil
		}
	}
	if p.MultiCall == "" {
		return nil, fmt.Errorf("no program for %s: not in %q, and the control plane is not built ('slicewright-lab build')", name, p.Assets)
	}
	return []string{p.MultiCall, name}, nil
}
