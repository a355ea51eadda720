package controlplane

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// source writes a lab module that nobody can build.
func source(t *testing.T, files map[string]string) string {
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
	return dir
}

func module(kubernetes string) map[string]string {
	return map[string]string{
		"go.mod":                       "module " + labModule + "\nrequire k8s.io/kubernetes " + kubernetes + "\n",
		"go.sum":                       "sums of " + kubernetes,
		"cmd/lab-controlplane/main.go": "package main",
	}
}

func key(t *testing.T, b Build) string {
	t.Helper()
	program, err := b.program()
	if err != nil {
		t.Fatal(err)
	}
	key, err := program.Key()
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func TestCacheKeyFollowsVersionsSumsAndSources(t *testing.T) {
	files := module("v1.37.2")
	first := key(t, Build{Source: source(t, files)})
	if again := key(t, Build{Source: source(t, files)}); again != first {
		t.Errorf("the same sources in another folder: %s and %s", first, again)
	}
	for name := range files {
		changed := module("v1.37.2")
		changed[name] += " "
		if key(t, Build{Source: source(t, changed)}) == first {
			t.Errorf("a change of %s does not change the key", name)
		}
	}
}

func TestAnotherKubernetesIsAnotherModuleFile(t *testing.T) {
	files := module("v1.37.2")
	files["go-1.36.mod"] = "module " + labModule + "\nrequire k8s.io/kubernetes v1.36.3\n"
	files["go-1.36.sum"] = "sums of v1.36.3"
	dir := source(t, files)
	for modfile, want := range map[string]string{"": "v1.37.2", "go-1.36.mod": "v1.36.3"} {
		b := Build{Source: dir, Modfile: modfile}
		if got, err := b.program(); err != nil || got.Version != want {
			t.Errorf("%q: %s, %v; want %s", modfile, got.Version, err, want)
		}
	}
	if key(t, Build{Source: dir}) == key(t, Build{Source: dir, Modfile: "go-1.36.mod"}) {
		t.Error("both versions have one key")
	}
}

func TestLinkFlagsCarryTheVersion(t *testing.T) {
	const in = "-X k8s.io/component-base/version."
	want := in + "gitVersion=v1.37.2 " + in + "gitMajor=1 " + in + "gitMinor=37"
	if got := linkFlags("v1.37.2"); got != want {
		t.Errorf("got %s", got)
	}
}

func TestSourceIsFoundFromAnywhereInTheCheckout(t *testing.T) {
	root := source(t, map[string]string{"lab/go.mod": "module " + labModule, "go.mod": "module other", "a/b/c": ""})
	want := filepath.Join(root, "lab")
	for _, from := range []string{"", "lab", "a/b"} {
		if got, err := FindSource(filepath.Join(root, from)); err != nil || got != want {
			t.Errorf("from %q: %s, %v", from, got, err)
		}
	}
	if got, err := FindSource(t.TempDir()); err == nil {
		t.Errorf("found %s where there is none", got)
	}
}

func TestProgramsOfAssetsArePreferred(t *testing.T) {
	assets := source(t, map[string]string{"etcd": ""})
	p := Programs{MultiCall: "/lab-controlplane", Assets: assets}
	if got, err := p.command(Etcd); err != nil || len(got) != 1 || got[0] != filepath.Join(assets, "etcd") {
		t.Errorf("etcd: %v, %v", got, err)
	}
	if got, err := p.command(Scheduler); err != nil || len(got) != 2 || got[0] != "/lab-controlplane" || got[1] != Scheduler {
		t.Errorf("kube-scheduler: %v, %v", got, err)
	}
	if _, err := (Programs{Assets: assets}).command(APIServer); err == nil {
		t.Error("no program, and no error")
	}
}

func TestUnknownComponentIsRefused(t *testing.T) {
	c := &ControlPlane{}
	if err := c.Kill("kubelet"); !errors.Is(err, ErrUnknownComponent) {
		t.Errorf("Kill: %v", err)
	}
	if err := c.Restart(t.Context(), "kubelet"); !errors.Is(err, ErrUnknownComponent) {
		t.Errorf("Restart: %v", err)
	}
	if err := c.Kill(Etcd); err == nil {
		t.Error("killed what does not run")
	}
}
