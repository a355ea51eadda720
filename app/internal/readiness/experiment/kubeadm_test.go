package experiment

import (
	"os"
	"strings"
	"testing"
)

const (
	v1beta3 = "apiVersion: kubeadm.k8s.io/v1beta3\nkind: ClusterConfiguration\nkubernetesVersion: v1.30.2\n"
	v1beta4 = "apiVersion: kubeadm.k8s.io/v1beta4\nkind: ClusterConfiguration\nkubernetesVersion: v1.37.2\n"
)

func TestKubeadmIsChangedInBothForms(t *testing.T) {
	const from, to = "*,bootstrapsigner,tokencleaner", "*,bootstrapsigner,tokencleaner,-endpoints-controller"
	for name, c := range map[string]struct{ text, want string }{
		"v1beta3, nothing there": {
			v1beta3, v1beta3 + "controllerManager:\n  extraArgs:\n    controllers: '" + to + "'\n",
		},
		"v1beta3, empty as kubeadm writes it": {
			strings.Replace(v1beta3, "kind:", "controllerManager: {}\nkind:", 1),
			strings.Replace(v1beta3, "kind:", "controllerManager:\n  extraArgs:\n    controllers: '"+to+"'\nkind:", 1),
		},
		"v1beta3, others there": {
			v1beta3 + "controllerManager:\n  extraArgs:\n    v: \"4\"\n",
			v1beta3 + "controllerManager:\n  extraArgs:\n    v: \"4\"\n    controllers: '" + to + "'\n",
		},
		"v1beta3, one there": {
			v1beta3 + "controllerManager:\n  extraArgs:\n    controllers: \"" + from + "\"\n    v: \"4\"\n",
			v1beta3 + "controllerManager:\n  extraArgs:\n    controllers: \"" + to + "\"\n    v: \"4\"\n",
		},
		"v1beta4, nothing there": {
			v1beta4, v1beta4 + "controllerManager:\n  extraArgs:\n  - name: controllers\n    value: '" + to + "'\n",
		},
		"v1beta4, others there": {
			v1beta4 + "controllerManager:\n  extraArgs:\n  - name: v\n    value: \"4\"\n",
			v1beta4 + "controllerManager:\n  extraArgs:\n  - name: v\n    value: \"4\"\n  - name: controllers\n    value: '" + to + "'\n",
		},
		"v1beta4, one there, indented by four": {
			v1beta4 + "controllerManager:\n    extraArgs:\n        - name: controllers\n          value: '" + from + "'\n",
			v1beta4 + "controllerManager:\n    extraArgs:\n        - name: controllers\n          value: '" + to + "'\n",
		},
		"v1, added to what kubeadm has": {
			strings.Replace(v1beta4, "v1beta4", "v1", 1) + "controllerManager:\n  extraArgs:\n  - name: controllers\n    value: \",-ttl-controller\"\n    mergeMethod: append\n",
			strings.Replace(v1beta4, "v1beta4", "v1", 1) + "controllerManager:\n  extraArgs:\n  - name: controllers\n    value: '" + from + ",-ttl-controller,-endpoints-controller'\n",
		},
		"before v1.28 it had another name": {
			strings.Replace(v1beta3, "v1.30.2", "v1.27.9", 1),
			strings.Replace(v1beta3, "v1.30.2", "v1.27.9", 1) + "controllerManager:\n  extraArgs:\n    controllers: '*,bootstrapsigner,tokencleaner,-endpoint'\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			k, err := ParseKubeadm("kubeadm.yaml", []byte(c.text))
			if err != nil {
				t.Fatal(err)
			}
			e, err := k.SwitchOff()
			if err != nil {
				t.Fatal(err)
			}
			if e.After != c.want || e.Fragment != "" {
				t.Errorf("it gives\n%s%s\nwant\n%s", e.After, e.Fragment, c.want)
			}
			if got := applied(t, "kubeadm.yaml", c.text, e.Diff); got != c.want {
				t.Errorf("the diff gives\n%s", got)
			}
		})
	}
}

// What kubeadm itself stores, and a ConfigMap with it.
func TestKubeadmAsTheClusterHasIt(t *testing.T) {
	stored, err := os.ReadFile("testdata/clusterconfiguration.yaml")
	if err != nil {
		t.Fatal(err)
	}
	inMap := "apiVersion: v1\nkind: ConfigMap\ndata:\n  ClusterConfiguration: |\n    " + strings.ReplaceAll(strings.TrimSpace(string(stored)), "\n", "\n    ") + "\n"
	for name, text := range map[string]string{"alone": string(stored), "in its ConfigMap": inMap} {
		k, err := ParseKubeadm("k", []byte(text))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if e, err := k.SwitchOff(); err != nil || !strings.Contains(e.Diff, "-controllerManager: {}\n+controllerManager:\n+  extraArgs:\n+  - name: controllers\n") {
			t.Errorf("%s: %v\n%s", name, err, e.Diff)
		}
		if k.Given || k.Controllers != "*,bootstrapsigner,tokencleaner" || k.Minor != 37 {
			t.Errorf("%s: %+v", name, k)
		}
	}
}

// A file whose layout would change is left alone, and the message says what
// to write.
func TestAFileOfItsOwnLayoutGetsAFragment(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"documents beside it": {
			"kind: InitConfiguration\n---\n" + v1beta4, "controllerManager:\n  extraArgs:\n  - name: controllers\n    value: \"*,bootstrapsigner,tokencleaner,-endpoints-controller\"\n",
		},
		"spaces of its own": {
			v1beta3 + "controllerManager:   {extraArgs:   {v: '4'}}\n", "controllerManager:\n  extraArgs:\n    controllers: \"*,bootstrapsigner,tokencleaner,-endpoints-controller\"\n",
		},
	} {
		k, err := ParseKubeadm("k", []byte(c.text))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if e, err := k.SwitchOff(); err != nil || e.Fragment != c.want || e.Diff != "" || !e.Needed() {
			t.Errorf("%s: %+v %v", name, e, err)
		}
	}
}

func TestKubeadmThatIsOffAlready(t *testing.T) {
	k, err := ParseKubeadm("k", []byte(v1beta3+"controllerManager: {extraArgs: {controllers: '*,-endpoints-controller'}}\n"))
	if err != nil {
		t.Fatal(err)
	}
	if e, err := k.SwitchOff(); err != nil || e.Needed() {
		t.Errorf("%+v %v", e, err)
	}
}

func TestABadKubeadmConfigurationIsAClearError(t *testing.T) {
	for name, c := range map[string]struct{ text, says string }{
		"empty":              {"", "has no document of kind ClusterConfiguration"},
		"a Pod":              {"kind: Pod\n", "has no document of kind ClusterConfiguration"},
		"two":                {v1beta3 + "---\n" + v1beta4, "two documents of kind ClusterConfiguration"},
		"of another year":    {"apiVersion: kubeadm.k8s.io/v2\nkind: ClusterConfiguration\n", `apiVersion "kubeadm.k8s.io/v2" is not known`},
		"a list in v1beta3":  {v1beta3 + "controllerManager:\n  extraArgs: [{name: v, value: '4'}]\n", "extraArgs (line 5) must be a map of name: value in kubeadm.k8s.io/v1beta3"},
		"a map in v1beta4":   {v1beta4 + "controllerManager:\n  extraArgs: {v: '4'}\n", "extraArgs (line 5) must be a list of name and value in kubeadm.k8s.io/v1beta4"},
		"twice":              {v1beta4 + "controllerManager: {extraArgs: [{name: controllers, value: '*'}, {name: controllers, value: '*'}]}\n", "controllers twice"},
		"a bad list":         {v1beta3 + "controllerManager: {extraArgs: {controllers: '*, x'}}\n", `" x" is no controller`},
		"a ConfigMap in one": {"kind: ConfigMap\ndata:\n  ClusterConfiguration: |\n    kind: ConfigMap\n    data: {ClusterConfiguration: 'kind: ClusterConfiguration'}\n", "without data.ClusterConfiguration"},
		"another ConfigMap":  {"kind: ConfigMap\ndata: {a: b}\n", "without data.ClusterConfiguration"},
	} {
		if _, err := ParseKubeadm("k.yaml", []byte(c.text)); err == nil || !strings.HasPrefix(err.Error(), "k.yaml: ") || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", name, err, c.says)
		}
	}
}
