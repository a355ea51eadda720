package gosource

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestEveryLibraryOfTheTableIsComplete(t *testing.T) {
	for _, lib := range libraries {
		if len(lib.Modules) == 0 || len(lib.Packages) == 0 || lib.Class == "" || len(lib.Verbs) == 0 || lib.What == "" || lib.Advice == "" {
			t.Errorf("%v lacks a field: %+v", lib.Modules, lib)
		}
	}
}

func TestImportersOfLibraries(t *testing.T) {
	const file = "-- dial/dial.go --\npackage dial\n\nimport (\n\t_ \"%s\"\n)\n"
	for name, tc := range map[string]struct {
		requirement, imported string
		want                  []string
	}{
		"a resolver before slices":        {"require github.com/sercand/kuberesolver/v5 v5.1.1", "github.com/sercand/kuberesolver/v5", []string{"dial/dial.go:4:2 go/library likely"}},
		"a resolver with slices":          {"require github.com/sercand/kuberesolver/v6 v6.0.1", "github.com/sercand/kuberesolver/v6", nil},
		"a version that still reads them": {"require github.com/zeromicro/go-zero v1.9.2", "github.com/zeromicro/go-zero/zrpc", []string{"dial/dial.go:4:2 go/library possible"}},
		"a version that does not":         {"require github.com/zeromicro/go-zero v1.10.3", "github.com/zeromicro/go-zero/zrpc", nil},
		"a version between":               {"require github.com/zeromicro/go-zero v1.9.4", "github.com/zeromicro/go-zero/zrpc", []string{"dial/dial.go:4:2 go/library possible"}},
		"another package of the module":   {"require github.com/zeromicro/go-zero v1.9.2", "github.com/zeromicro/go-zero/rest", nil},
		"replaced by a newer version":     {"require github.com/zeromicro/go-zero v1.9.2\nreplace github.com/zeromicro/go-zero => github.com/zeromicro/go-zero v1.10.3", "github.com/zeromicro/go-zero/zrpc", nil},
		"a server that registers one":     {"require github.com/weaveworks/common v0.0.0-20230728070032-dd9e68f319d5", "github.com/weaveworks/common/httpgrpc/server", []string{"dial/dial.go:4:2 go/library likely"}},
		"not called without its symbol":   {"require github.com/gubernator-io/gubernator/v2 v2.13.0", "github.com/gubernator-io/gubernator/v2", nil},
	} {
		t.Run(name, func(t *testing.T) {
			root := project(t, "-- go.mod --\nmodule x\n\ngo 1.24\n\n"+tc.requirement+"\n"+strings.Replace(file, "%s", tc.imported, 1))
			findings, coverage := Scan(context.Background(), root, Options{})
			if diff := cmp.Diff(tc.want, locators(findings)); diff != "" {
				t.Error(diff)
			}
			if len(coverage.Problems) != 0 {
				t.Errorf("an importer alone needs no load: %s", messages(coverage))
			}
		})
	}
}

func TestALibraryBehindAnotherOneIsANote(t *testing.T) {
	root := project(t, "-- go.mod --\nmodule x\n\ngo 1.24\n\nrequire github.com/sercand/kuberesolver/v5 v5.1.1 // indirect\n-- x.go --\npackage x\n")
	findings, coverage := Scan(context.Background(), root, Options{})
	if len(findings) != 0 || len(coverage.Notes) != 1 || !strings.Contains(coverage.Notes[0], "through another dependency") {
		t.Errorf("findings %v, notes %q", locators(findings), coverage.Notes)
	}
}
