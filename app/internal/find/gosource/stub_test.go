package gosource

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// stubs are the modules that the fixtures import, in the shape of the real ones.
var stubs = []string{
	"k8s.io/api", "k8s.io/apimachinery", "k8s.io/client-go", "k8s.io/cli-runtime",
	"sigs.k8s.io/controller-runtime", "go.etcd.io/etcd/client/v3", "github.com/aws/aws-sdk-go",
	"github.com/go-kit/kit", "github.com/envoyproxy/go-control-plane", "example.org/objects",
}

const stubSource = "analyzer/testdata/src"

// sourceOf is where a stub is: the client libraries' are part of the product.
func sourceOf(stub string) string {
	if isKubernetes(stub) {
		return filepath.Join("_shapes", filepath.FromSlash(stub))
	}
	return filepath.Join(stubSource, filepath.FromSlash(stub))
}

// stubbed is the text of a go.mod for a module whose requirements are the stubs,
// which are copied below the test's own folder.
func stubbed(t *testing.T, modulePath string) string {
	t.Helper()
	dir := t.TempDir()
	var mod strings.Builder
	fmt.Fprintf(&mod, "module %s\n\ngo 1.24\n\n", modulePath)
	for _, stub := range stubs {
		target := filepath.Join(dir, filepath.FromSlash(stub))
		if err := os.CopyFS(target, os.DirFS(sourceOf(stub))); err != nil {
			t.Fatal(err)
		}
		writeFile(t, filepath.Join(target, "go.mod"), fmt.Sprintf("module %s\n\ngo 1.24\n", stub))
		version := "v0.0.0"
		if strings.HasSuffix(stub, "/v3") {
			version = "v3.0.0"
		}
		fmt.Fprintf(&mod, "require %s %s\nreplace %s => %s\n", stub, version, stub, target)
	}
	return mod.String()
}

// project writes a txtar archive into a folder of its own. "STUBS path" as the
// text of a go.mod is replaced by a module path with the stubs.
func project(t *testing.T, archive string) string {
	t.Helper()
	root := t.TempDir()
	for _, f := range txtar.Parse([]byte(archive)).Files {
		text := string(f.Data)
		if modulePath, ok := strings.CutPrefix(strings.TrimSpace(text), "STUBS "); ok {
			text = stubbed(t, modulePath)
		}
		writeFile(t, filepath.Join(root, filepath.FromSlash(f.Name)), text)
	}
	return root
}

func writeFile(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
