package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestGoVetRunsIt builds the tool, lets the go command run it over a module, and
// reads what it prints: the facts of one package reach the next through files.
func TestGoVetRunsIt(t *testing.T) {
	tool := filepath.Join(t.TempDir(), "endpointsvet")
	run(t, ".", "go", "build", "-o", tool, ".")
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module example.org/x\n\ngo 1.24\n",
		"kube/kube.go": `// Package kube reads by hand.
package kube

import "net/http"

// Endpoints of a namespace.
func Endpoints(host, ns string) (*http.Response, error) {
	return http.Get(host + "/api/v1/namespaces/" + ns + "/endpoints")
}
`,
		"main.go": `package main

import "example.org/x/kube"

func main() {
	_, _ = kube.Endpoints("http://127.0.0.1", "prod")
}
`,
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	out, err := command(dir, "go", "vet", "-vettool="+tool, "./...").CombinedOutput()
	if err == nil {
		t.Errorf("go vet succeeded although there are findings")
	}
	for _, want := range []string{"kube/kube.go:8:18: Endpoints: go/raw-url list", "main.go:6:9: Endpoints: go/wrapper list"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("go vet does not say %q:\n%s", want, out)
		}
	}
}

func run(t *testing.T, dir string, name string, args ...string) {
	t.Helper()
	if out, err := command(dir, name, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
}

func command(dir, name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOPROXY=off", "GOFLAGS=-buildvcs=false")
	if dir != "." {
		cmd.Env = append(cmd.Env, "GOWORK=off") // no module of this project's workspace
	}
	return cmd
}
