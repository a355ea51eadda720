package run

import (
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/slicewright/slicewright/app/internal/cli/clitest"
	"github.com/slicewright/slicewright/app/internal/cli/command"
	"github.com/slicewright/slicewright/internal/haproxytest"
	"github.com/slicewright/slicewright/watch/access"
)

const deployDir = clitest.ProjectFolder + "deploy/"

// The alert rules do what their tests say.
func TestAlertRules(t *testing.T) {
	promtool, err := exec.LookPath("promtool")
	if err != nil {
		t.Fatal("promtool is missing: `make deps` installs it (Debian's package prometheus)")
	}
	out, err := exec.Command(promtool, "test", "rules", deployDir+"alerts/slicewright.test.yaml").CombinedOutput()
	if err != nil {
		t.Errorf("promtool: %v\n%s", err, out)
	}
}

var (
	metricName = regexp.MustCompile(`slicewright_[a-z_]+`)
	alertName  = regexp.MustCompile(`(?m)alert: (\w+)`)
)

// Every alert looks at a metric that exists, and has a test.
func TestAlertsAreAboutMetricsThatExist(t *testing.T) {
	rules, err := os.ReadFile(deployDir + "alerts/slicewright.rules.yaml")
	if err != nil {
		t.Fatal(err)
	}
	tests, err := os.ReadFile(deployDir + "alerts/slicewright.test.yaml")
	if err != nil {
		t.Fatal(err)
	}
	exist := metricNames(t)
	used := metricName.FindAllString(string(rules), -1)
	if len(used) < 5 {
		t.Fatalf("the rules use only %v", used)
	}
	for _, name := range used {
		if !exist[name] {
			t.Errorf("there is no metric %s", name)
		}
	}
	for _, alert := range alertName.FindAllStringSubmatch(string(rules), -1) {
		if !strings.Contains(string(tests), "alertname: "+alert[1]+"\n") {
			t.Errorf("%s has no test", alert[1])
		}
	}
}

// docs/run.md names every metric.
func TestEveryMetricIsDocumented(t *testing.T) {
	text, err := os.ReadFile(clitest.ProjectFolder + "docs/run.md")
	if err != nil {
		t.Fatal(err)
	}
	names := metricNames(t)
	if len(names) < 8 {
		t.Fatalf("only %v were gathered", names)
	}
	for name := range names {
		if !strings.Contains(string(text), "`"+name+"`") {
			t.Errorf("docs/run.md says nothing about %s", name)
		}
	}
}

// manifests decodes a file as strictly as kubectl --validate=strict does.
func manifests(t *testing.T, name string) []runtime.Object {
	t.Helper()
	data, err := os.ReadFile(deployDir + "kubernetes/" + name)
	if err != nil {
		t.Fatal(err)
	}
	decoder := serializer.NewCodecFactory(scheme.Scheme, serializer.EnableStrict).UniversalDeserializer()
	var objects []runtime.Object
	for doc := range strings.SplitSeq(string(data), "\n---\n") {
		object, _, err := decoder.Decode([]byte(doc+"\n"), nil, nil)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		objects = append(objects, object)
	}
	return objects
}

// The Role in the manifests is the one that the program asks for.
func TestTheRoleIsWhatIsAskedFor(t *testing.T) {
	asked := (&access.Error{Missing: []access.Permission{{Namespace: "vector-lab", Verb: "list"}}}).Role()
	want, _, err := scheme.Codecs.UniversalDeserializer().Decode([]byte(asked), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	got := manifests(t, "role.yaml")
	if diff := cmp.Diff(want.(*rbacv1.Role).Rules, got[0].(*rbacv1.Role).Rules); diff != "" {
		t.Errorf("rules (-asked +manifest):\n%s", diff)
	}
	binding := got[1].(*rbacv1.RoleBinding)
	deployed := manifests(t, "deployment.yaml")[0].(*corev1.ServiceAccount)
	if s := binding.Subjects[0]; s.Namespace != deployed.Namespace || s.Name != deployed.Name {
		t.Errorf("the Role is bound to %s/%s, the Deployment's account is %s/%s", s.Namespace, s.Name, deployed.Namespace, deployed.Name)
	}
	if roles := manifests(t, "leader-role.yaml"); len(roles) != 2 {
		t.Errorf("%d objects for the leader", len(roles))
	}
}

// The Deployment starts the program in a way that it understands.
func TestTheDeploymentStartsTheProgram(t *testing.T) {
	for _, object := range manifests(t, "deployment.yaml") {
		d, ok := object.(*appsv1.Deployment)
		if !ok {
			continue
		}
		for _, c := range d.Spec.Template.Spec.Containers {
			if c.Name != "slicewright" {
				continue
			}
			if c.Args[0] != "run" {
				t.Fatalf("it starts %q", c.Args)
			}
			command := New(command.Streams{In: strings.NewReader(""), Out: io.Discard, Err: io.Discard})
			if err := command.ParseFlags(c.Args[1:]); err != nil {
				t.Fatal(err)
			}
			if file := command.Flag("config").Value.String(); file != "/etc/edge/config.yaml" {
				t.Errorf("its configuration is %s", file)
			}
			if address := command.Flag("metrics-address").Value.String(); address != ":9808" {
				t.Errorf("probes cannot reach %s", address)
			}
			return
		}
	}
	t.Fatal("there is no container called slicewright")
}

// HAProxy takes the configuration in the manifests.
func TestTheDeployedHAProxyConfiguration(t *testing.T) {
	haproxy := haproxytest.Program(t)
	for _, object := range manifests(t, "deployment.yaml") {
		if m, ok := object.(*corev1.ConfigMap); ok {
			file := clitest.WriteFile(t, "haproxy.cfg", m.Data["haproxy.cfg"])
			if out, err := exec.Command(haproxy, "-c", "-f", file).CombinedOutput(); err != nil {
				t.Errorf("haproxy -c: %v\n%s", err, out)
			}
			return
		}
	}
	t.Fatal("there is no ConfigMap in the manifests")
}
