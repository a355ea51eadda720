package release

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

const root = "../../../.."

// TestAReleaseCanBeUsed plays a release: the modules of this tree, in a module
// proxy that is a folder. From an empty module, which no workspace knows, the
// library is imported and the program is installed, as docs/release.md says.
func TestAReleaseCanBeUsed(t *testing.T) {
	proxy := t.TempDir()
	library, programs := publishModule(t, proxy, ""), publishModule(t, proxy, "app")
	if library.Version != requiredLibrary(t) {
		t.Fatalf("the app requires the library at %s", requiredLibrary(t))
	}

	// Everything else comes from this machine's module cache, which is laid out
	// like a proxy. The modules are unpacked into a cache of the test's own, so that
	// this machine's never holds a release that does not exist.
	download := filepath.Join(goEnv(t, "GOMODCACHE"), "cache", "download")
	cache := t.TempDir()
	t.Cleanup(func() { _, _ = goCommand(t, cache, proxy, download, t.TempDir(), "clean", "-modcache") })
	use := func(dir string, args ...string) string {
		t.Helper()
		out, err := goCommand(t, cache, proxy, download, dir, args...)
		if err != nil {
			t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
		}
		return out
	}

	empty := t.TempDir()
	use(empty, "mod", "init", "example.org/controller")
	write(t, filepath.Join(empty, "main.go"), `package main

import (
	"fmt"

	"github.com/slicewright/slicewright/endpointset"
)

func main() {
	ix := endpointset.NewIndex(endpointset.Options{})
	fmt.Println(len(ix.Services()), "Services")
}
`)
	use(empty, "get", library.Path+"/endpointset@"+library.Version)
	if got, want := use(empty, "run", "."), "0 Services\n"; got != want {
		t.Errorf("the importer prints %q, want %q", got, want)
	}

	use(empty, "install", programs.Path+"/cmd/slicewright@"+programs.Version)
	out, err := exec.Command(filepath.Join(cache, "bin", "slicewright"), "version").Output()
	if want := "slicewright " + programs.Version + " "; err != nil || !strings.HasPrefix(string(out), want) {
		t.Errorf("it prints %q, %v; want %q", out, err, want)
	}
}

// goCommand runs the go command as somebody does who has nothing of this tree.
func goCommand(t *testing.T, cache, proxy, download, dir string, args ...string) (string, error) {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-trimpath", "GONOSUMDB=*", "GOSUMDB=off",
		"GOPROXY=file://"+proxy+",file://"+download, "GOMODCACHE="+filepath.Join(cache, "mod"), "GOBIN="+filepath.Join(cache, "bin"))
	var out, errs strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return errs.String(), err
	}
	return out.String(), nil
}

// requiredLibrary returns the version of the library that the app asks for.
func requiredLibrary(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "app/go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	file, err := modfile.Parse("app/go.mod", text, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(file.Replace) > 0 {
		t.Errorf("app/go.mod has a replace directive: go install of a version refuses that")
	}
	for _, r := range file.Require {
		if r.Mod.Path == "github.com/slicewright/slicewright" {
			return r.Mod.Version
		}
	}
	t.Fatal("the app does not require the library")
	return ""
}

// publishModule puts the module of a folder of this tree into a proxy, at the
// version of the library that the app requires, and returns what it is.
func publishModule(t *testing.T, proxy, folder string) module.Version {
	t.Helper()
	dir := filepath.Join(root, folder)
	text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	m := module.Version{Path: modfile.ModulePath(text), Version: requiredLibrary(t)}
	at := filepath.Join(proxy, m.Path, "@v")
	if err := os.MkdirAll(at, 0o755); err != nil {
		t.Fatal(err)
	}
	packed, err := os.Create(filepath.Join(at, m.Version+".zip"))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(zip.Create(packed, m, trackedFiles(t, dir)), packed.Close()); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(at, m.Version+".mod"), string(text))
	write(t, filepath.Join(at, "list"), m.Version+"\n")
	write(t, filepath.Join(at, m.Version+".info"), fmt.Sprintf(`{"Version":%q,"Time":%q}`, m.Version, time.Now().UTC().Format(time.RFC3339)))
	return m
}

// trackedFiles are the files that git knows, or would add, in a module: a tag
// holds them. Modules further down are their own.
func trackedFiles(t *testing.T, dir string) []zip.File {
	t.Helper()
	cmd := exec.Command("git", "ls-files", "-co", "--exclude-standard")
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var files []zip.File
	nested := map[string]bool{"": false, ".": false}
	var inNested func(folder string) bool
	inNested = func(folder string) bool {
		is, known := nested[folder]
		if !known {
			_, err := os.Stat(filepath.Join(dir, folder, "go.mod"))
			is = err == nil || inNested(filepath.Dir(folder))
			nested[folder] = is
		}
		return is
	}
	for name := range strings.Lines(string(out)) {
		name = strings.TrimSuffix(name, "\n")
		if info, err := os.Lstat(filepath.Join(dir, name)); err != nil || !info.Mode().IsRegular() || inNested(filepath.Dir(name)) {
			continue
		}
		files = append(files, fileOfTree{name, filepath.Join(dir, name)})
	}
	return files
}

// fileOfTree is a file of a module: its name in it, and where it is.
type fileOfTree struct{ name, at string }

func (f fileOfTree) Path() string                 { return f.name }
func (f fileOfTree) Lstat() (os.FileInfo, error)  { return os.Lstat(f.at) }
func (f fileOfTree) Open() (io.ReadCloser, error) { return os.Open(f.at) }

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func goEnv(t *testing.T, name string) string {
	t.Helper()
	out, err := exec.Command("go", "env", name).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}
