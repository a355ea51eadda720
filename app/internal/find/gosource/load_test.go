package gosource

import (
	"context"
	"path/filepath"
	"slices"
	"testing"
)

func TestTheGoCommandIsKeptOffTheNetworkAndTheTree(t *testing.T) {
	env := environment("/src", false, []string{
		"HOME=/home/x", "GOFLAGS=-mod=mod", "GOPROXY=https://proxy.example.org", "GOTOOLCHAIN=auto",
		"GOWORK=/elsewhere/go.work", "GOPACKAGESDRIVER=/bin/driver",
	})
	for _, want := range []string{"HOME=/home/x", "GOFLAGS=", "GOPROXY=off", "GOTOOLCHAIN=local", "GOWORK=off", "GOPACKAGESDRIVER=off"} {
		if !slices.Contains(env, want) {
			t.Errorf("the environment lacks %s: %q", want, env)
		}
	}
	for _, refused := range []string{"GOFLAGS=-mod=mod", "GOPROXY=https://proxy.example.org", "GOTOOLCHAIN=auto", "GOPACKAGESDRIVER=/bin/driver"} {
		if slices.Contains(env, refused) {
			t.Errorf("the environment keeps %s", refused)
		}
	}
}

func TestAScanChangesNothingInTheTree(t *testing.T) {
	// A requirement that is missing from go.mod is what a go command would add.
	root := project(t, "-- go.mod --\nmodule x\n\ngo 1.24\n"+readerAt("x.go"))
	t.Setenv("GOFLAGS", "-mod=mod")
	before := read(t, filepath.Join(root, "go.mod"))
	if findings, _ := Scan(context.Background(), root, Options{}); len(findings) != 1 {
		t.Errorf("findings %v", locators(findings))
	}
	if after := read(t, filepath.Join(root, "go.mod")); after != before {
		t.Errorf("go.mod was changed to %q", after)
	}
	entries, err := filepath.Glob(filepath.Join(root, "*"))
	if err != nil || len(entries) != 2 {
		t.Errorf("the tree has %q now", entries)
	}
}
