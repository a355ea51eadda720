package consumers

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"
)

// The programs, and what they share with Kubernetes, in whose versions a bug can
// be as well as in their own.
var modules = map[string][]string{
	"coredns":    {"github.com/coredns/coredns"},
	"prometheus": {"github.com/prometheus/prometheus"},
	"grpc":       {"github.com/zeromicro/go-zero", "github.com/sercand/kuberesolver/v6"},
}

var shared = []string{"k8s.io/client-go", "k8s.io/api", "k8s.io/apimachinery", "google.golang.org/grpc", "github.com/miekg/dns"}

// What is tested is what is released: a program is built with the libraries that
// its own module asks for, and without newer libraries that ours would bring in.
func TestProgramsAreBuiltWithTheLibrariesOfTheirReleases(t *testing.T) {
	compared := 0
	for dir, programs := range modules {
		ours := requirements(t, filepath.Join(dir, "go.mod"))
		// The first one has the newest requirements of those that share a module.
		program := programs[0]
		theirs := requirements(t, modFileOf(t, dir, program))
		for _, library := range shared {
			asked, ok := theirs[library]
			if !ok {
				continue
			}
			compared++
			if got, ok := ours[library]; ok && got != asked {
				t.Errorf("%s is built with %s %s; %s asks for %s", dir, library, got, program, asked)
			}
		}
	}
	if compared < 10 {
		t.Errorf("only %d libraries were compared", compared)
	}
}

// Prometheus says its version only when it was linked with it: the YAML files
// have it as text.
func TestVersionsInTheConsumersFilesAreThoseThatAreBuilt(t *testing.T) {
	required := requirements(t, filepath.Join("prometheus", "go.mod"))["github.com/prometheus/prometheus"]
	// v0.316.0 of the module is v3.16.0 of the program.
	minor, ok := strings.CutPrefix(required, "v0.3")
	if !ok {
		t.Fatalf("prometheus %s is not named as the modules of v3 are", required)
	}
	want := "text: v3." + minor + " (module " + required + ")"
	for _, role := range []string{"endpointslice", "endpoints"} {
		content, err := os.ReadFile(filepath.Join("..", "conformance", "consumers", "prometheus-"+role+".yaml"))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(content), want) {
			t.Errorf("the file of role %s does not have %q", role, want)
		}
	}
}

func requirements(t *testing.T, path string) map[string]string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	// Lax: a dependency's file has directives that do not count here.
	parsed, err := modfile.ParseLax(path, content, nil)
	if err != nil {
		t.Fatal(err)
	}
	versions := map[string]string{}
	for _, r := range parsed.Require {
		versions[r.Mod.Path] = r.Mod.Version
	}
	return versions
}

// modFileOf is the go.mod of a module that a module requires.
func modFileOf(t *testing.T, dir, module string) string {
	t.Helper()
	cmd := exec.Command("go", "list", "-m", "-json", module)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("look up %s: %v", module, err)
	}
	var found struct{ GoMod string }
	if err := json.Unmarshal(out, &found); err != nil || found.GoMod == "" {
		t.Fatalf("look up %s: %v, %q", module, err, out)
	}
	return found.GoMod
}
