package controlplane

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/mod/modfile"
)

const labModule = "github.com/slicewright/slicewright/lab"

// Build says which control plane to build and where to keep it.
type Build struct {
	// Source is the folder of the lab's module.
	Source string
	// Modfile chooses the Kubernetes version: the go.mod, beside Source's own,
	// that requires it. "" is go.mod itself. Another version of Kubernetes is
	// another file of requirements, never another program.
	Modfile string
	// Cache is the folder of built programs; see CacheDir.
	Cache string
	// Progress gets a line now and then while it builds: the first build takes
	// minutes. On a terminal the line is redrawn in place.
	Progress io.Writer
	Terminal bool
}

// CacheDir is where control planes are kept: $SLICEWRIGHT_LAB_CACHE, else a
// folder in the user's cache.
func CacheDir() (string, error) {
	if dir := os.Getenv("SLICEWRIGHT_LAB_CACHE"); dir != "" {
		return dir, nil
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("find a cache folder (set SLICEWRIGHT_LAB_CACHE): %w", err)
	}
	return filepath.Join(dir, "slicewright-lab"), nil
}

// FindSource finds the lab's module: dir, its folder lab, or those of a folder
// above.
func FindSource(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("find the lab's module: %w", err)
	}
	for at := dir; ; at = filepath.Dir(at) {
		for _, candidate := range []string{at, filepath.Join(at, "lab")} {
			content, err := os.ReadFile(filepath.Join(candidate, "go.mod"))
			if err == nil && modfile.ModulePath(content) == labModule {
				return candidate, nil
			}
		}
		if at == filepath.Dir(at) {
			return "", fmt.Errorf("module %s is not in %s or above it: run from a checkout of slicewright", labModule, dir)
		}
	}
}

// Program returns the path of the built control plane, and builds it first
// when the cache has none for exactly these sources and this Go. Concurrent
// callers may build twice but never see half a file.
func (b Build) Program(ctx context.Context) (string, error) {
	version, err := b.kubernetesVersion()
	if err != nil {
		return "", err
	}
	key, err := b.key()
	if err != nil {
		return "", err
	}
	path := filepath.Join(b.Cache, version+"-"+key, "lab-controlplane")
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return "", fmt.Errorf("make the cache folder: %w", err)
	}
	partial := fmt.Sprintf("%s.%d", path, os.Getpid())
	defer os.Remove(partial)
	if err := b.compile(ctx, version, partial); err != nil {
		return "", fmt.Errorf("build the control plane (Kubernetes %s): %w", version, err)
	}
	if err := os.Rename(partial, path); err != nil {
		return "", fmt.Errorf("keep the control plane: %w", err)
	}
	return path, nil
}

func (b Build) modfile() string {
	if b.Modfile == "" {
		return filepath.Join(b.Source, "go.mod")
	}
	return filepath.Join(b.Source, b.Modfile)
}

// kubernetesVersion is the version of k8s.io/kubernetes that the module file
// requires, such as v1.37.2.
func (b Build) kubernetesVersion() (string, error) {
	content, err := os.ReadFile(b.modfile())
	if err != nil {
		return "", fmt.Errorf("read which Kubernetes to build: %w", err)
	}
	parsed, err := modfile.Parse(b.modfile(), content, nil)
	if err != nil {
		return "", fmt.Errorf("read which Kubernetes to build: %w", err)
	}
	i := slices.IndexFunc(parsed.Require, func(r *modfile.Require) bool { return r.Mod.Path == "k8s.io/kubernetes" })
	if i < 0 {
		return "", fmt.Errorf("%s does not require k8s.io/kubernetes", b.modfile())
	}
	return parsed.Require[i].Mod.Version, nil
}

// key names everything that the program depends on: the modules, by their
// versions and checksums, the sources and the Go version. Requirements that
// are not compiled in change the key as well; the link that this costs takes
// half a minute with a warm build cache.
func (b Build) key() (string, error) {
	sources, err := filepath.Glob(filepath.Join(b.Source, "cmd", "lab-controlplane", "*.go"))
	if err != nil {
		return "", err
	}
	sum := strings.TrimSuffix(b.modfile(), ".mod") + ".sum"
	hash := sha256.New()
	fmt.Fprintln(hash, runtime.Version(), runtime.GOARCH)
	for _, path := range append([]string{b.modfile(), sum}, sources...) {
		content, err := os.ReadFile(path)
		if err != nil {
			return "", fmt.Errorf("read the control plane's sources: %w", err)
		}
		fmt.Fprintln(hash, filepath.Base(path), len(content))
		hash.Write(content)
	}
	return hex.EncodeToString(hash.Sum(nil))[:16], nil
}

// compile runs go build. Its flags are the same everywhere, so that Go's own
// cache of compiled packages is shared with the tests.
func (b Build) compile(ctx context.Context, version, output string) error {
	args := []string{"build", "-v", "-trimpath", "-ldflags", linkFlags(version), "-o", output}
	if b.Modfile != "" {
		args = append(args, "-modfile="+b.Modfile)
	}
	cmd := exec.CommandContext(ctx, "go", append(args, "./cmd/lab-controlplane")...)
	cmd.Dir = b.Source
	stderr, err := cmd.StderrPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	var compiled atomic.Int64
	stop := make(chan struct{})
	finished := make(chan struct{})
	go func() {
		defer close(finished)
		b.report(version, &compiled, stop)
	}()
	said := countPackages(stderr, &compiled)
	err = cmd.Wait()
	close(stop)
	<-finished
	if err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return fmt.Errorf("go build: %w\n%s", err, said)
	}
	return nil
}

// linkFlags put the version in, without which the components take themselves
// for v0.0.0 and refuse to work together.
func linkFlags(version string) string {
	const in = "k8s.io/component-base/version."
	major, rest, _ := strings.Cut(strings.TrimPrefix(version, "v"), ".")
	minor, _, _ := strings.Cut(rest, ".")
	return fmt.Sprintf("-s -w -X %sgitVersion=%s -X %sgitMajor=%s -X %sgitMinor=%s", in, version, in, major, in, minor)
}

// countPackages counts the lines of go build -v that name a package and
// returns the end of the others: what the compiler had to say.
func countPackages(r io.Reader, compiled *atomic.Int64) string {
	var said bytes.Buffer
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		line := lines.Text()
		if line != "" && !strings.ContainsAny(line, " #:") {
			compiled.Add(1)
		} else if said.Len() < 16<<10 {
			fmt.Fprintln(&said, line)
		}
	}
	// A line too long for the scanner: nothing to count, but go build must not
	// block on a full pipe.
	if lines.Err() != nil && !errors.Is(lines.Err(), os.ErrClosed) {
		_, _ = io.Copy(io.Discard, r)
	}
	return said.String()
}

func (b Build) report(version string, compiled *atomic.Int64, stop <-chan struct{}) {
	if b.Progress == nil {
		<-stop
		return
	}
	every, begin, end := 30*time.Second, "", "\n"
	if b.Terminal {
		every, begin, end = time.Second, "\r\x1b[K", ""
	}
	start := time.Now()
	line := func(what string) {
		fmt.Fprintf(b.Progress, "%s%s Kubernetes %s control plane: %d packages compiled, %s%s", begin, what, version,
			compiled.Load(), time.Since(start).Round(time.Second), end)
	}
	fmt.Fprintf(b.Progress, "Building the Kubernetes %s control plane. The first time this takes 5 to 15 minutes on 2 cores.%s", version, "\n")
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			line("Building")
		case <-stop:
			line("Built")
			if b.Terminal {
				fmt.Fprintln(b.Progress)
			}
			return
		}
	}
}
