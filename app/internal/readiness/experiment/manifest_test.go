package experiment

import (
	"os"
	"strings"
	"testing"

	"github.com/slicewright/slicewright/app/experiment/controllers"
	"github.com/slicewright/slicewright/internal/text"
)

// pod is a static Pod with this container, as lines.
func pod(container ...string) string {
	return "apiVersion: v1\nkind: Pod\nmetadata:\n  name: kcm\nspec:\n  containers:\n  - image: kube-controller-manager:v1.37.2\n" +
		strings.Join(container, "\n") + "\n"
}

func block(words ...string) string {
	return pod("    command:\n    - " + strings.Join(words, "\n    - "))
}

func TestTheManifestIsChangedInOneLine(t *testing.T) {
	const off = "-" + controllers.Endpoints
	for name, c := range map[string]struct{ text, from, old, young string }{
		"a list is kept": {
			block("kube-controller-manager", "--controllers=*,bootstrapsigner,tokencleaner", "--leader-elect=true"), "*,bootstrapsigner,tokencleaner",
			"    - --controllers=*,bootstrapsigner,tokencleaner\n", "    - --controllers=*,bootstrapsigner,tokencleaner," + off + "\n",
		},
		"double quotes": {
			block("kube-controller-manager", `"--controllers=*"`), "*",
			`"--controllers=*"`, `"--controllers=*,` + off + `"`,
		},
		"single quotes and a comment": {
			block("/usr/local/bin/kube-controller-manager", "'--controllers=*' # all", "--v=2"), "*",
			`'--controllers=*' # all`, `'--controllers=*,` + off + `' # all`,
		},
		"two words": {
			block("kube-controller-manager", "--controllers", `"*,-ttl-controller"`), "*,-ttl-controller",
			`"*,-ttl-controller"`, `"*,-ttl-controller,` + off + `"`,
		},
		"no flag: the default stays": {
			block("kube-controller-manager", "--leader-elect=true"), "",
			"    - --leader-elect=true\n", "    - --leader-elect=true\n    - --controllers=*," + off + "\n",
		},
		"no flag, in args": {
			pod("    command: [kube-controller-manager]", `    args: ["--v=2", "--leader-elect=true"]`), "",
			`"--leader-elect=true"]`, `"--leader-elect=true", "--controllers=*,` + off + `"]`,
		},
		"no flag, and a comment after the last one": {
			block("kube-controller-manager", "--v=2 # loud"), "",
			"    - --v=2 # loud\n", "    - --v=2 # loud\n    - --controllers=*," + off + "\n",
		},
		"the image's own command": {
			pod("    args:\n    - --controllers=*"), "*", "--controllers=*", "--controllers=*," + off,
		},
		"a wrapper before it": {
			block("/go-runner", "--log-file=/var/log/kcm.log", "/usr/local/bin/kube-controller-manager", "--controllers=*"), "*",
			"--controllers=*", "--controllers=*," + off,
		},
		"another container first, and brackets in which a comma ends a word": {
			pod("    command: [sidecar, --controllers=mine]\n  - command: [kube-controller-manager, --controllers=*]"), "*",
			"--controllers=*]", `"--controllers=*,` + off + `"]`,
		},
		"on by name": {
			block("kube-controller-manager", "--controllers=endpoints-controller,endpointslice-controller"), "endpoints-controller,endpointslice-controller",
			"endpoints-controller,endpointslice-controller", "endpointslice-controller," + off,
		},
		"JSON": {
			`{"kind": "Pod", "spec": {"containers": [{"name": "kube-controller-manager",` + "\n" + `"command": ["kube-controller-manager",` + "\n" + `  "--controllers=*"]}]}}`, "*",
			`"--controllers=*"`, `"--controllers=*,` + off + `"`,
		},
		"no newline at the end": {
			strings.TrimSuffix(block("kube-controller-manager", "--v=2"), "\n"), "",
			"    - --v=2", "    - --v=2\n    - --controllers=*," + off,
		},
		"carriage returns": {
			strings.ReplaceAll(block("kube-controller-manager", "--v=2"), "\n", "\r\n"), "",
			"    - --v=2\r\n", "    - --v=2\r\n    - --controllers=*," + off + "\r\n",
		},
		"letters of more than a byte before it": {
			pod(`    command: [kube-controller-manager, "--cluster-name=größe", "--controllers=*"]`), "*",
			`"--controllers=*"`, `"--controllers=*,` + off + `"`,
		},
		"before v1.28 it had another name": {
			strings.Replace(block("kube-controller-manager", "--controllers=*"), "v1.37.2", "v1.27.16", 1), "*",
			"--controllers=*", "--controllers=*,-endpoint",
		},
		"since v1.28 it has this one": {
			strings.Replace(block("kube-controller-manager", "--controllers=*"), "v1.37.2", "v1.28.0@sha256:1", 1), "*",
			"--controllers=*", "--controllers=*," + off,
		},
	} {
		t.Run(name, func(t *testing.T) {
			m, err := ParseManifest("etc/kcm.yaml", []byte(c.text))
			if err != nil {
				t.Fatal(err)
			}
			e, err := m.SwitchOff()
			if err != nil {
				t.Fatal(err)
			}
			if m.Controllers != c.from || e.From != c.from {
				t.Errorf("read %q and %q, want %q", m.Controllers, e.From, c.from)
			}
			if want := strings.Replace(c.text, c.old, c.young, 1); e.After != want || want == c.text {
				t.Errorf("it gives\n%s\nwant\n%s", e.After, want)
			}
			if got := applied(t, "kcm.yaml", c.text, e.Diff); got != e.After {
				t.Errorf("the diff gives\n%s", got)
			}
			if on, err := controllers.Runs(e.To, controllers.Endpoints); on || err != nil {
				t.Errorf("with %q it runs (%v)", e.To, err)
			}
		})
	}
}

func TestAManifestThatIsOffAlreadyIsLeftAlone(t *testing.T) {
	for _, value := range []string{"*,-endpoints-controller", "*,-endpoint", "endpointslice-controller"} {
		text := block("kube-controller-manager", "--controllers="+value)
		m, err := ParseManifest("kcm.yaml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if e, err := m.SwitchOff(); err != nil || e.Needed() || e.After != text || e.To != value {
			t.Errorf("%q: %+v %v", value, e, err)
		}
	}
}

// A manifest that is not as expected is an error that says what, and what to write
// where that is known.
func TestABadManifestIsAClearError(t *testing.T) {
	for name, c := range map[string]struct{ text, says string }{
		"empty":                     {"", "is empty: give the static Pod's manifest"},
		"no YAML":                   {"a: [", "is no YAML"},
		"no object":                 {"- a\n- b\n", "is no YAML object"},
		"a word":                    {"hello\n", "is no YAML object"},
		"no kind":                   {"a: b\n", "has no kind"},
		"a Deployment":              {"kind: Deployment\n", `is a "Deployment"`},
		"a hostile kind":            {"kind: \"\\e[31mPod\"\n", `is a "\x1b[31mPod"`},
		"a key twice":               {pod("    command: [kube-controller-manager, --controllers=*]\n    command: [kube-controller-manager, --controllers=foo]"), `has "command" twice in one object (line`},
		"a hostile key twice":       {"{\"\\e[31m\": 1, \"\\e[31m\": 2}", `has "\x1b[31m" twice`},
		"an alias":                  {pod("    command: &c [kube-controller-manager]\n    args: *c"), "has the alias *c (line"},
		"fields from elsewhere":     {pod("    <<: {command: [kube-controller-manager, --controllers=foo]}\n    args: [--v=2]"), "takes fields over with <<"},
		"two documents":             {pod("    command: [a]") + "---\n" + pod("    command: [b]"), "has 2 documents"},
		"no containers":             {"kind: Pod\nspec: {}\n", "has no spec.containers"},
		"another program":           {strings.Replace(block("kube-scheduler"), "image: kube-controller-manager", "image: s", 1), "has no container that runs kube-controller-manager"},
		"a shell":                   {block("/bin/sh", "-c", `"exec kube-controller-manager --controllers=* 2>&1"`), "starts kube-controller-manager by a line of shell (line 11): add -endpoints-controller"},
		"a command that is no list": {pod("    command: kube-controller-manager"), "command (line 8) is no list"},
		"a word that is none":       {pod("    command: [kube-controller-manager, {a: b}]"), "has something else than text (line 8)"},
		"no value":                  {block("kube-controller-manager", "--controllers"), "--controllers (line 10) has no value"},
		"an empty value":            {block("kube-controller-manager", "--controllers="), `--controllers (line 10) is empty`},
		"a list that is none":       {block("kube-controller-manager", "--controllers=*,$(MORE)"), `"$(MORE)" is no controller`},
		"given twice":               {block("kube-controller-manager", "--controllers=*", "--controllers=-ttl-controller"), "given 2 times: write it once, as --controllers=*,-ttl-controller,-endpoints-controller"},
		"no command line":           {pod("    name: kube-controller-manager"), "has neither command nor args to which --controllers=*,-endpoints-controller could be added"},
		"too long":                  {"# " + strings.Repeat("x", MaxFile), "more than 1048576"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := ParseManifest("kcm.yaml", []byte(c.text))
			if err == nil || !strings.HasPrefix(err.Error(), "kcm.yaml: ") || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v\nwant %q", err, c.says)
			}
			if err != nil && !text.Printable(err.Error()) {
				t.Errorf("the error moves the cursor: %q", err)
			}
		})
	}
}

// What cannot be changed in its line says what to write.
func TestAnOddLayoutIsSaid(t *testing.T) {
	for name, text := range map[string]string{
		"a folded value": pod("    command:\n    - kube-controller-manager\n    - >-\n      --controllers=*"),
		"an escape":      block("kube-controller-manager", `"--controllers=\x2a"`),
	} {
		m, err := ParseManifest("kcm.yaml", []byte(text))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if _, err := m.SwitchOff(); err == nil || !strings.Contains(err.Error(), "set --controllers=*,-endpoints-controller by hand") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestMinorVersions(t *testing.T) {
	for image, want := range map[string]int{
		"registry.k8s.io/kube-controller-manager:v1.37.2": 37,
		"localhost:5000/kcm:v1.27.0-rc.1@sha256:0":        27,
		"localhost:5000/kcm":                              0,
		"kcm@sha256:0":                                    0,
		"kcm:latest":                                      0,
		"kcm:v1.":                                         0,
		"kcm:v1.99999999":                                 0,
		"":                                                0,
	} {
		if got := minorOf(image); got != want {
			t.Errorf("%q: %d, want %d", image, got, want)
		}
	}
}

// No file makes the parser panic, and a change that is offered is one after which
// the controller does not run, and everything else is as it was.
func FuzzManifest(f *testing.F) {
	for _, name := range []string{"testdata/kube-controller-manager.yaml", "testdata/clusterconfiguration.yaml"} {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Add(block("kube-controller-manager", "--controllers", `"*"`))
	f.Add(pod(`    command: ["kube-controller-manager", '--controllers=*']`))
	f.Add(strings.ReplaceAll(pod("    args:\n    - &a --v=2\n    - *a"), "\n", "\r\n"))
	f.Fuzz(func(t *testing.T, text string) {
		if k, err := ParseKubeadm("k", []byte(text)); err == nil {
			if e, err := k.SwitchOff(); err == nil {
				if on, err := controllers.Runs(e.To, controllers.Endpoints); on || err != nil {
					t.Fatalf("kubeadm: %q (%v)", e.To, err)
				}
			}
		}
		m, err := ParseManifest("m", []byte(text))
		if err != nil {
			return
		}
		e, err := m.SwitchOff()
		if err != nil {
			return
		}
		after, err := ParseManifest("m", []byte(e.After))
		if err != nil || after.Controllers != e.To {
			t.Fatalf("%q gives %q: %v", text, e.After, err)
		}
		if on, err := controllers.Runs(after.Controllers, controllers.Endpoints); on || err != nil {
			t.Fatalf("%q gives %q (%v)", text, e.After, err)
		}
	})
}
