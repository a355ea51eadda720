package controlplane

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// DefaultVersion means the version that go.mod requires.
const DefaultVersion = ""

// At returns the build of another Kubernetes version, such as "v1.36.3": that
// of the module file kubernetes-1.36.mod, which must require exactly it.
func (b Build) At(version string) (Build, error) {
	versions, err := b.Versions()
	if err != nil {
		return Build{}, err
	}
	if version == DefaultVersion {
		b.Modfile = ""
		return b, nil
	}
	for modfile, has := range versions {
		if has == version {
			b.Modfile = modfile
			return b, nil
		}
	}
	var known []string
	for _, has := range versions {
		known = append(known, has)
	}
	slices.Sort(known)
	return Build{}, fmt.Errorf("no control plane of Kubernetes %q here: there is %s (docs/lab.md says how to add one)", version, strings.Join(known, ", "))
}

// Versions are the Kubernetes versions that can be built, by module file; that
// of go.mod is under "".
func (b Build) Versions() (map[string]string, error) {
	files, err := filepath.Glob(filepath.Join(b.Source, "kubernetes-*.mod"))
	if err != nil {
		return nil, err
	}
	versions := map[string]string{}
	for _, file := range append(files, "") {
		other := b
		if other.Modfile = ""; file != "" {
			other.Modfile = filepath.Base(file)
		}
		program, err := other.program()
		if err != nil {
			return nil, err
		}
		versions[other.Modfile] = program.Version
	}
	return versions, nil
}
