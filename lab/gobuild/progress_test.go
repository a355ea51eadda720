package gobuild

import (
	"strings"
	"sync/atomic"
	"testing"
)

func TestBuildOutputIsPackagesAndWhatTheCompilerSays(t *testing.T) {
	out := "k8s.io/api/core/v1\ninternal/abi\n# k8s.io/broken\nbroken.go:1:1: syntax error\n"
	var compiled atomic.Int64
	said := countPackages(strings.NewReader(out), &compiled)
	if compiled.Load() != 2 || said != "# k8s.io/broken\nbroken.go:1:1: syntax error\n" {
		t.Errorf("%d packages, said %q", compiled.Load(), said)
	}
	// A line that no buffer holds does not stop the build.
	countPackages(strings.NewReader(strings.Repeat("x", 1<<20)+"\na/b\n"), &compiled)
}
