package controlplane

import (
	"strings"
	"testing"
)

func TestAVersionIsChosenByTheModuleFileThatRequiresIt(t *testing.T) {
	files := module("v1.37.2")
	files["kubernetes-1.36.mod"] = "module " + labModule + "\nrequire k8s.io/kubernetes v1.36.3\n"
	b := Build{Source: source(t, files), Modfile: "kubernetes-1.36.mod"}
	for version, want := range map[string]string{DefaultVersion: "", "v1.37.2": "", "v1.36.3": "kubernetes-1.36.mod"} {
		if got, err := b.At(version); err != nil || got.Modfile != want {
			t.Errorf("%q: %q, %v; want %q", version, got.Modfile, err, want)
		}
	}
	_, err := b.At("v1.36.0")
	if err == nil || !strings.Contains(err.Error(), "v1.36.3, v1.37.2") {
		t.Errorf("a version that there is not: %v", err)
	}
}

func TestThisModuleHasTwoVersions(t *testing.T) {
	source, err := FindSource(".")
	if err != nil {
		t.Fatal(err)
	}
	versions, err := Build{Source: source}.Versions()
	if err != nil || len(versions) < 2 {
		t.Fatalf("%v, %v: want go.mod's and another", versions, err)
	}
}
