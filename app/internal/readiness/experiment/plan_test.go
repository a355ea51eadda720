package experiment

import (
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slicewright/slicewright/app/internal/readiness"
	"github.com/slicewright/slicewright/internal/text"
)

var update = flag.Bool("update", false, "write the golden files anew")

func manager(t *testing.T, node, controllers string) Manager {
	t.Helper()
	m, err := ParseManifest("Pod kube-controller-manager-"+node, []byte(block("kube-controller-manager", "--controllers="+controllers)))
	if err != nil {
		t.Fatal(err)
	}
	return Manager{Node: node, Manifest: m}
}

func made(t *testing.T, in Input) *Plan {
	t.Helper()
	p, err := Make(in)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func names(p *Plan) string {
	var all []string
	for _, s := range p.Steps {
		all = append(all, s.Name)
	}
	return strings.Join(all, " ")
}

func step(t *testing.T, p *Plan, name string) Step {
	t.Helper()
	i := slices.IndexFunc(p.Steps, func(s Step) bool { return s.Name == name })
	if i < 0 {
		t.Fatalf("there is no step %s in %s", name, names(p))
	}
	return p.Steps[i]
}

// commands are all that people would copy.
func commands(s Step) string {
	var all []string
	for _, a := range s.Do {
		all = append(all, a.Command)
	}
	for _, e := range s.Expect {
		all = append(all, e.Command)
	}
	return strings.Join(all, "\n")
}

// With several control-plane nodes, one at a time, and who leads comes last: then
// leadership moves once, to one that is changed.
func TestTheLeaderIsChangedLast(t *testing.T) {
	in := Input{Cluster: &Cluster{Version: "v1.37.2", Leader: "cp-1_0b5e", Managers: []Manager{
		manager(t, "cp-10", "*"), manager(t, "cp-1", "*,bootstrapsigner"), manager(t, "cp-2", "*"),
	}}}
	p := made(t, in)
	if got, want := names(p), "before keep stop-cp-10 stop-cp-2 stop-cp-1 rollout reader empty restart cut way-back report stay"; got != want {
		t.Errorf("steps %s\nwant  %s", got, want)
	}
	if why := step(t, p, "stop-cp-1").Why; !strings.Contains(why, "It leads, so it comes last") {
		t.Errorf("cp-1: %s", why)
	}
	if why := step(t, p, "stop-cp-10").Why; !strings.Contains(why, "does not lead: nothing changes") {
		t.Errorf("cp-10: %s", why)
	}
	// Each node's own value.
	for node, want := range map[string]string{"cp-1": "*,bootstrapsigner,-endpoints-controller", "cp-2": "*,-endpoints-controller"} {
		if says := step(t, p, "stop-"+node).Expect[0].Says; says != "Running, with --controllers="+want {
			t.Errorf("%s must say %q", node, says)
		}
	}
	if !slices.ContainsFunc(p.Notes, func(n string) bool { return strings.Contains(n, "values differ") }) {
		t.Errorf("notes %q", p.Notes)
	}
	if !p.Possible || !p.Known || p.Off || p.Back == nil {
		t.Errorf("%+v", p)
	}
}

func TestOneNodeAloneIsSaidToBeOne(t *testing.T) {
	p := made(t, Input{Cluster: &Cluster{Version: "v1.37.2", Leader: "cp_1", Services: 7, Managers: []Manager{manager(t, "cp", "*")}}})
	if s := step(t, p, "stop-cp"); !strings.Contains(s.Why, "for a minute no controller runs") {
		t.Errorf("%s", s.Why)
	}
	if s := step(t, p, "way-back"); !strings.HasSuffix(s.Wait, "There are 7.") {
		t.Errorf("%s", s.Wait)
	}
}

// The steps of a plan decide what the gate asks of the stop experiment, each check
// once.
func TestThePlanDecidesWhatTheGateAsks(t *testing.T) {
	var want []string
	for _, c := range readiness.DefaultCriteria().Criteria {
		if c.Name == "stop-experiment" {
			want = c.Checks
		}
	}
	var got []string
	for _, s := range made(t, Input{}).Steps {
		got = append(got, s.Checks...)
	}
	if diff := cmp.Diff(want, got); diff != "" || len(want) == 0 {
		t.Errorf("(-gate +plan)\n%s", diff)
	}
}

// The form is a report once it is filled in, and none before.
func TestTheFormBecomesAReport(t *testing.T) {
	var out strings.Builder
	if err := made(t, Input{Cluster: &Cluster{Version: "v1.37.2", Managers: []Manager{manager(t, "cp", "*")}}}).Write(&out, "report"); err != nil {
		t.Fatal(err)
	}
	if _, err := readiness.ParseExperiment([]byte(out.String())); err == nil {
		t.Error("a form that nobody filled in is taken for a report")
	}
	filled := strings.NewReplacer("\nname: \"\"", "\nname: stop", `started: ""`, "started: 2026-05-01T10:00:00Z", `finished: ""`, "finished: 2026-05-01T11:00:00Z").Replace(out.String())
	e, err := readiness.ParseExperiment([]byte(filled))
	if err != nil {
		t.Fatalf("%v in\n%s", err, filled)
	}
	if len(e.Checks) != 7 || e.Kubernetes != "v1.37.2" || e.Controllers != "*,-endpoints-controller" || e.Checks[0].Result != readiness.NotRun {
		t.Errorf("%+v", e)
	}
}

func TestWhereItCannotBeDoneItSaysSo(t *testing.T) {
	for name, c := range map[string]struct {
		cluster Cluster
		says    string
	}{
		"EKS by its version": {Cluster{Version: "v1.33.1-eks-ba24e9c"}, "This is Amazon EKS."},
		"EKS by its nodes":   {Cluster{Version: "v1.33.1", Labels: []string{"eks.amazonaws.com/nodegroup"}}, "This is Amazon EKS."},
		"GKE":                {Cluster{Version: "v1.33.1-gke.1583000"}, "This is Google GKE."},
		"AKS":                {Cluster{Version: "v1.33.1", Labels: []string{"kubernetes.azure.com/cluster"}}, "This is Azure AKS."},
		"a list without the slices' controller": {
			Cluster{Version: "v1.37.2", Managers: []Manager{manager(t, "cp", "endpoints-controller,ttl-controller")}}, "nobody would write EndpointSlices",
		},
	} {
		p := made(t, Input{Cluster: &c.cluster})
		if p.Possible || len(p.Steps) > 0 || p.Back != nil || len(p.Obstacles) != 1 || !strings.Contains(p.Obstacles[0], c.says) {
			t.Errorf("%s: possible %t, %d steps, obstacles %q", name, p.Possible, len(p.Steps), p.Obstacles)
		}
	}
	// Pods on a cloud's machines that a team runs itself are static Pods as elsewhere.
	if p := made(t, Input{Cluster: &Cluster{Version: "v1.33.1", Labels: []string{"kubernetes.azure.com/cluster"}, Managers: []Manager{manager(t, "cp", "*")}}}); !p.Possible {
		t.Errorf("obstacles %q", p.Obstacles)
	}
}

func TestOtherWaysAreToldByVersionAndNodes(t *testing.T) {
	for version, want := range map[string]string{"v1.33.1+k3s1": "k3s, RKE2", "v1.33.1+rke2r1": "k3s, RKE2", "v1.37.2": "kubeadm, and other static Pods"} {
		if got := wayOf(version, nil); got.Name != want || !got.Possible {
			t.Errorf("%s: %+v", version, got)
		}
	}
	p := made(t, Input{Cluster: &Cluster{Version: "v1.33.1+k3s1"}})
	if !p.Known || p.Way.Name != "k3s, RKE2" {
		t.Errorf("%+v", p.Way)
	}
	// Nothing seen, nothing told: not known.
	if p := made(t, Input{Cluster: &Cluster{Version: "v1.37.2", Unread: map[string]string{"Pods in kube-system": "forbidden"}}}); p.Known || !strings.Contains(strings.Join(p.Notes, " "), "Not read: Pods in kube-system (forbidden).") {
		t.Errorf("%t %q", p.Known, p.Notes)
	}
}

func TestWhatIsOffNeedsNoStop(t *testing.T) {
	p := made(t, Input{Cluster: &Cluster{Version: "v1.37.2", Managers: []Manager{manager(t, "cp", "*,-endpoints-controller")}}})
	if got, want := names(p), "before rollout reader empty restart cut report"; got != want || !p.Off || p.Back != nil {
		t.Errorf("off %t, steps %s", p.Off, got)
	}
	// Off on one node of two is not off.
	p = made(t, Input{Cluster: &Cluster{Version: "v1.37.2", Managers: []Manager{manager(t, "a", "*,-endpoints-controller"), manager(t, "b", "*")}}})
	if p.Off {
		t.Error("off on one of two nodes counts as off")
	}
}

func TestTheFileAndTheClusterAreCompared(t *testing.T) {
	m, err := ParseManifest("kcm.yaml", []byte(block("kube-controller-manager", "--controllers=*")))
	if err != nil {
		t.Fatal(err)
	}
	k, err := ParseKubeadm("kubeadm", []byte(v1beta4))
	if err != nil {
		t.Fatal(err)
	}
	p := made(t, Input{Manifest: m, Cluster: &Cluster{Version: "v1.37.2", Kubeadm: k, Managers: []Manager{manager(t, "cp", "*,-ttl-controller")}}})
	all := strings.Join(p.Notes, "\n")
	for _, says := range []string{
		"Node cp runs with --controllers=*,-ttl-controller, and kcm.yaml has --controllers=*",
		"kubeadm would start kube-controller-manager with --controllers=*,bootstrapsigner,tokencleaner: somebody changed the manifest by hand",
	} {
		if !strings.Contains(all, says) {
			t.Errorf("notes do not say %q:\n%s", says, all)
		}
	}
	if len(p.Edits) != 2 || p.Edits[0].Diff == "" || p.Edits[1].Diff == "" {
		t.Errorf("%+v", p.Edits)
	}
}

// Names stand in commands that people copy. Nothing but names gets there.
func TestNothingButNamesIsInACommand(t *testing.T) {
	for _, in := range []Input{
		{Service: "shop/cart; rm -rf /"},
		{Service: "cart"},
		{Service: "shop/$(id)"},
		{Workload: "deployment/x'y"},
		{Workload: "pod/x"},
		{Workload: "-x/y"},
		{ManifestPath: "manifests/kcm.yaml"},
		{ManifestPath: "/kcm.yaml"},
		{ManifestPath: "/etc/a\nb/kcm.yaml"},
	} {
		if _, err := Make(in); err == nil {
			t.Errorf("%+v is taken", in)
		} else if !text.Printable(err.Error()) {
			t.Errorf("the error moves the cursor: %q", err)
		}
	}
	hostile := manager(t, "cp", "*")
	hostile.Node = "cp;reboot"
	p := made(t, Input{
		Service: "shop/cart", Workload: "statefulset/cart", ManifestPath: "/etc/it's here/manifests/kcm.yaml",
		Cluster: &Cluster{Version: "v1.37.2\x1b[2J", Managers: []Manager{hostile, manager(t, "cp-2", "*")}, Unread: map[string]string{"nodes": "\x1b]0;x\a<script>\u202e"}},
	})
	for _, s := range p.Steps {
		if all := commands(s); strings.Contains(all, "reboot") {
			t.Errorf("%s: %s", s.Name, all)
		}
	}
	if got, want := step(t, p, "stop-cp-2").Do[0].Command, `mv '/etc/it'\''s here/kcm.stopped.yaml' '/etc/it'\''s here/manifests/kcm.yaml'`; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	if got := step(t, p, "rollout").Do[0].Command; got != "slicewright verify shop/cart --consumer SPEC --probe URL --during 'kubectl -n shop rollout restart statefulset/cart && kubectl -n shop rollout status statefulset/cart --timeout 5m'" {
		t.Error(got)
	}
	for _, format := range []string{"text", "markdown", "report"} {
		var out strings.Builder
		if err := p.Write(&out, format); err != nil {
			t.Fatal(err)
		}
		if i := strings.IndexAny(out.String(), "\x1b\a\u202e"); i >= 0 {
			t.Errorf("%s moves the cursor at %d", format, i)
		}
		if format == "markdown" && strings.Contains(strings.ReplaceAll(out.String(), `\<`, ""), "<script") {
			t.Error("Markdown has markup of a stranger")
		}
	}
}

// A backtick in a manifest does not end the block that shows it.
func TestAFenceIsLongerThanWhatItHolds(t *testing.T) {
	m, err := ParseManifest("kcm.yaml", []byte(block("kube-controller-manager", "--v=2 # ```` <b>", "--controllers=*")))
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := made(t, Input{Manifest: m}).Write(&out, "markdown"); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "\n`````\n--- kcm.yaml\n") {
		t.Errorf("%.900s", out.String())
	}
}

// The whole text of a plan, as people get it.
func TestThePlanInWords(t *testing.T) {
	text, err := os.ReadFile("testdata/kube-controller-manager.yaml")
	if err != nil {
		t.Fatal(err)
	}
	m, err := ParseManifest("kube-controller-manager.yaml", text)
	if err != nil {
		t.Fatal(err)
	}
	k := manager(t, "cp-1", "*,bootstrapsigner,tokencleaner")
	p := made(t, Input{
		Manifest: m, Service: "shop/cart", Workload: "deployment/cart",
		Cluster: &Cluster{Version: "v1.37.2", Leader: "cp-1_0b5e", Services: 42, Managers: []Manager{k, manager(t, "cp-2", "*,bootstrapsigner,tokencleaner")}},
	})
	for format, file := range map[string]string{"text": "testdata/plan.txt", "markdown": "testdata/plan.md"} {
		var out strings.Builder
		if err := p.Write(&out, format); err != nil {
			t.Fatal(err)
		}
		if *update {
			if err := os.WriteFile(file, []byte(out.String()), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), out.String()); diff != "" {
			t.Errorf("%s (-update writes it anew):\n%s", file, diff)
		}
	}
	if err := p.Write(&strings.Builder{}, "pdf"); err == nil {
		t.Error("pdf is a format")
	}
}
