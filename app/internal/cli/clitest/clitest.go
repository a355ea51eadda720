// Package clitest is what the tests of several commands share.
package clitest

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/slicewright/slicewright/app/internal/cli/command"
)

// ProjectFolder is the project's folder, seen from the package of a command.
const ProjectFolder = "../../../../"

// Run runs a command line and returns what it printed and its exit code. No real
// cluster is in its reach.
func Run(t *testing.T, p *command.Program, stdin string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	t.Setenv("KUBECONFIG", filepath.Join(t.TempDir(), "none"))
	var out, errs bytes.Buffer
	code = p.Main(t.Context(), command.Streams{In: strings.NewReader(stdin), Out: &out, Err: &errs}, append([]string{p.Name}, args...))
	return out.String(), errs.String(), code
}

// CheckSchema holds a document to one of the project's schemas.
func CheckSchema(t *testing.T, name, text string) {
	t.Helper()
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	schema, err := compiler.Compile(ProjectFolder + "docs/schemas/" + name + ".schema.json")
	if err != nil {
		t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(value); err != nil {
		t.Errorf("%s does not fit its schema: %v\n%s", name, err, text)
	}
}

// WriteFile writes a file in a folder of its own and returns its path.
func WriteFile(t *testing.T, name, content string) string {
	t.Helper()
	return filepath.Join(WriteFiles(t, map[string]string{name: content}), name)
}

// WriteFiles writes files in a folder of their own, and returns its path.
func WriteFiles(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// Folder writes files, and returns what gives the path of each.
func Folder(t *testing.T, files map[string]string) func(name string) string {
	t.Helper()
	dir := WriteFiles(t, files)
	return func(name string) string { return filepath.Join(dir, name) }
}

// A Buffer takes what a command writes while a test reads.
type Buffer struct {
	mu   sync.Mutex // guards text
	text bytes.Buffer
}

// Write implements io.Writer.
func (b *Buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

// String returns what was written so far.
func (b *Buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// HangingCluster is an API server that takes requests and never answers. asked
// gets the path of each.
func HangingCluster(t *testing.T) (client kubernetes.Interface, asked <-chan string) {
	t.Helper()
	paths, ended := make(chan string, 100), make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		paths <- r.URL.Path
		<-ended
	}))
	t.Cleanup(func() { close(ended); server.Close() })
	set, err := kubernetes.NewForConfig(&rest.Config{Host: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	return set, paths
}
