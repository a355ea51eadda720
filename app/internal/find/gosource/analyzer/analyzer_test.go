package analyzer_test

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/slicewright/slicewright/app/internal/find/gosource/analyzer"
)

// TestCorpus runs every labelled fixture with the facts of the packages below
// it: what has no want must not be flagged.
func TestCorpus(t *testing.T) {
	gopath := t.TempDir()
	for _, source := range []string{filepath.Join(analysistest.TestData(), "src"), filepath.Join("..", "_shapes")} {
		if err := os.CopyFS(filepath.Join(gopath, "src"), os.DirFS(source)); err != nil {
			t.Fatal(err)
		}
	}
	analysistest.Run(t, gopath, analyzer.Analyzer, "corpus/...")
}
