package gosource

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"testing"
)

// BenchmarkScanWithoutTheWord is what a tree costs that has nothing to find:
// reading its files, and no more.
func BenchmarkScanWithoutTheWord(b *testing.B) {
	root := b.TempDir()
	body := append([]byte("package x\n\n"), bytes.Repeat([]byte("// nothing of interest in this line of a comment\n"), 2000)...)
	for i := range 200 {
		writeFile(b, filepath.Join(root, fmt.Sprintf("p%d", i), "x.go"), string(body))
	}
	writeFile(b, filepath.Join(root, "go.mod"), "module x\n\ngo 1.24\n")
	b.SetBytes(int64(200 * len(body)))
	for b.Loop() {
		if findings, coverage := Scan(context.Background(), root, Options{}); len(findings) != 0 || coverage.Read != 200 {
			b.Fatalf("findings %d, read %d", len(findings), coverage.Read)
		}
	}
}
