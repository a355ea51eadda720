package gobuild

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func module(t *testing.T, files map[string]string) Program {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return Program{
		Name: "hello", Title: "hello", Dir: dir, Package: ".", Version: "v0",
		Sources: []string{"*.go"}, LinkFlags: "-X main.who=lab", Tags: []string{"loud"},
	}
}

func hello() map[string]string {
	return map[string]string{
		"go.mod":   "module example.com/hello\n\ngo 1.26.0\n",
		"go.sum":   "",
		"main.go":  "package main\n\nvar who, mark string\n\nfunc main() { println(\"hello \" + who + mark) }\n",
		"loud.go":  "//go:build loud\n\npackage main\n\nfunc init() { mark = \"!\" }\n",
		"README":   "is no source",
		"sub/x.go": "package sub\n",
	}
}

func key(t *testing.T, p Program) string {
	t.Helper()
	key, err := p.Key()
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func TestKeyFollowsWhatAProgramIsBuiltFrom(t *testing.T) {
	first := key(t, module(t, hello()))
	if key(t, module(t, hello())) != first {
		t.Error("the same sources in another folder have another key")
	}
	for name := range hello() {
		files := hello()
		files[name] += " "
		same := key(t, module(t, files)) == first
		if want := name == "README" || name == "sub/x.go"; same != want {
			t.Errorf("a change of %s: the same key is %t, want %t", name, same, want)
		}
	}
	p := module(t, hello())
	p.Tags = nil
	if key(t, p) == first {
		t.Error("another tag, the same key")
	}
	if err := os.Remove(filepath.Join(p.Dir, "go.sum")); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Key(); err == nil {
		t.Error("without go.sum, and no error")
	}
}

func TestWithoutPatternsEveryGoFileOfTheModuleIsASource(t *testing.T) {
	all := func(files map[string]string) Program {
		p := module(t, files)
		p.Sources = nil
		return p
	}
	files := hello()
	for name, content := range map[string]string{
		"main_test.go": "package main\n", "testdata/x.go": "", "other/go.mod": "module other\n", "other/other.go": "package other\n",
	} {
		files[name] = content
	}
	first := key(t, all(files))
	for name := range files {
		content := files[name]
		files[name] = content + " "
		same := key(t, all(files)) == first
		files[name] = content
		if want := name != "go.mod" && name != "go.sum" && name != "main.go" && name != "loud.go" && name != "sub/x.go"; same != want {
			t.Errorf("a change of %s: the same key is %t, want %t", name, same, want)
		}
	}
}

func TestProgramIsBuiltOnceAndWithItsFlags(t *testing.T) {
	var progress bytes.Buffer
	c := Cache{Dir: t.TempDir(), Progress: &progress}
	p := module(t, hello())
	path, err := c.Program(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(path).CombinedOutput()
	if err != nil || string(out) != "hello lab!\n" {
		t.Errorf("it says %q, %v", out, err)
	}
	if !strings.Contains(progress.String(), "Built hello: ") {
		t.Errorf("progress is %q", progress.String())
	}
	// Nothing can build without a toolchain: what comes back was kept.
	t.Setenv("PATH", t.TempDir())
	if again, err := c.Program(t.Context(), p); err != nil || again != path {
		t.Errorf("again: %s, %v", again, err)
	}
}

func TestAFailedBuildSaysWhyAndLeavesNothing(t *testing.T) {
	files := hello()
	files["main.go"] = "package main\n\nfunc main() { undefinedName() }\n"
	c := Cache{Dir: t.TempDir()}
	_, err := c.Program(t.Context(), module(t, files))
	if err == nil || !strings.Contains(err.Error(), "undefinedName") {
		t.Errorf("the error is %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(c.Dir, "*", "*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Program(ctx, module(t, hello())); err == nil {
		t.Error("built although cancelled")
	}
}
