//go:build unix

package textsource

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// words of programs and configuration, with many that nearly are ours.
var vocabulary = strings.Fields(`apiVersion kind metadata name namespace spec template containers image ports return import from def self class
	public static final void String await async const function export default endpoint_url endpoin kubernetes service deployment replicas
	step deploy keep repo report index map filter request response error config value items list get read pod node label selector while for if else true false null`)

// plantTree writes a tree of files of the kinds that are read, none with a
// word that is looked for, and returns its size.
func plantTree(tb testing.TB, root string, files int) int64 {
	tb.Helper()
	r := rand.New(rand.NewPCG(1, 2)) // #nosec: a fixed tree
	extensions := []string{".py", ".java", ".ts", ".yaml", ".sh", ".rs", ".cs", ".tf", ".json", ".go", ".md"}
	size := int64(0)
	for i := range files {
		dir := filepath.Join(root, fmt.Sprintf("m%02d", i%40), fmt.Sprintf("p%d", i%7))
		if err := os.MkdirAll(dir, 0o755); err != nil {
			tb.Fatal(err)
		}
		var b strings.Builder
		lines := 40 + r.IntN(400)
		for range lines {
			b.WriteString(strings.Repeat(" ", 2*r.IntN(5)))
			for range 1 + r.IntN(8) {
				w := vocabulary[r.IntN(len(vocabulary))]
				if strings.Contains(w, "ndpoin") {
					w = "endpo_int"
				}
				b.WriteString(w)
				b.WriteString([]string{" ", ": ", "(", ")", " = "}[r.IntN(5)])
			}
			b.WriteByte('\n')
		}
		name := filepath.Join(dir, fmt.Sprintf("f%d%s", i, extensions[i%len(extensions)]))
		if err := os.WriteFile(name, []byte(b.String()), 0o600); err != nil {
			tb.Fatal(err)
		}
		size += int64(b.Len())
	}
	return size
}

// BenchmarkTreeWithoutTheWords compares a scan that finds nothing with
// ripgrep's search for the same words in the same files.
func BenchmarkTreeWithoutTheWords(b *testing.B) {
	root := b.TempDir()
	size := plantTree(b, root, 20_000)
	b.Run("scan", func(b *testing.B) {
		b.SetBytes(size)
		before := cpuTime(b)
		for b.Loop() {
			findings, _ := Scan(context.Background(), root, Options{})
			if len(findings) > 0 {
				b.Fatalf("%d findings", len(findings))
			}
		}
		b.ReportMetric(float64((cpuTime(b)-before).Milliseconds())/float64(b.N), "cpu-ms/op")
	})
	b.Run("ripgrep", func(b *testing.B) {
		rg, err := exec.LookPath("rg")
		if err != nil {
			b.Fatal("needs rg to compare with; make deps installs it (package ripgrep)")
		}
		b.SetBytes(size)
		var cpu time.Duration
		for b.Loop() {
			cmd := exec.Command(rg, "--no-config", "--no-ignore", "--hidden", "-l", "ndpoint|kubectl|_namespaced_|Namespaced", root)
			if out, err := cmd.CombinedOutput(); cmd.ProcessState.ExitCode() != 1 {
				b.Fatalf("rg: %v: %s", err, out)
			}
			cpu += cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
		}
		b.ReportMetric(float64(cpu.Milliseconds())/float64(b.N), "cpu-ms/op")
	})
}

// cpuTime is what this process has used: on a machine that others share it
// says more than a clock.
func cpuTime(tb testing.TB) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		tb.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
