package experiment

import (
	"fmt"
	"path"
	"strings"

	"github.com/slicewright/slicewright/app/experiment/controllers"
)

// How long things take: the reasons are in the texts of the steps.
const (
	waitForManager = "Up to two minutes. The kubelet sees the file at once, or at its next look (every 20 s), and may give the old process 30 s to end. " +
		"Then the Lease (15 s) has to run out, and the controllers need some seconds to start."
	waitForBack = "As for the stop, and then until every Service was synced once: the controller goes through all of them when it starts."
)

// steps are those of static Pods. Where nothing is to be stopped, since it is off
// already, they begin behind that.
func (m *maker) steps() {
	m.Steps = append(m.Steps, m.before())
	if !m.Off {
		back := m.restore("back", "At any moment, if something is not as it should be")
		back.Checks = nil // a way back in need proves nothing
		m.Back = &back
		m.Steps = append(m.Steps, m.keep())
		m.Steps = append(m.Steps, m.stop()...)
	}
	m.Steps = append(m.Steps, m.rollout(), m.reader(), m.empty(), m.restart(), m.cut())
	if !m.Off {
		m.Steps = append(m.Steps, m.restore("way-back", "The way back"))
	}
	m.Steps = append(m.Steps, m.report())
	if !m.Off {
		m.Steps = append(m.Steps, m.stay())
	}
}

// service and workload are what the commands are about, or a place to fill in.
func (m *maker) service() (namespace, name string) {
	if namespace, name, ok := strings.Cut(m.in.Service, "/"); ok {
		return namespace, name
	}
	return "NAMESPACE", "SERVICE"
}

func (m *maker) workload() string {
	if m.in.Workload != "" {
		return m.in.Workload
	}
	return "deployment/NAME"
}

func (m *maker) kubectl(format string, args ...any) string {
	namespace, _ := m.service()
	return "kubectl -n " + namespace + " " + fmt.Sprintf(format, args...)
}

// verify looks at the consumer, and with a probe behind it too.
func (m *maker) verify(during string, probe bool) string {
	namespace, name := m.service()
	command := fmt.Sprintf("slicewright verify %s/%s --consumer SPEC", namespace, name)
	if probe {
		command += " --probe URL"
	}
	if during != "" {
		command += " --during '" + during + "'"
	}
	return command
}

func (m *maker) before() Step {
	s := Step{
		Name: "before", Title: "Before anything is changed",
		Why: "While the controller is off, programs that still read Endpoints go on with the addresses of today, and do not see what changes. " +
			"Tell everybody who runs something in the cluster, choose a quiet hour, and do no kubeadm upgrade meanwhile: it would write the manifest again.",
		Do: []Action{
			{Text: "Have every criterion of the gate but stop-experiment met or waived.", Command: "slicewright gate --registry registry.yaml --shadow shadow.json --timeline FILE.db --audit AUDIT --cluster"},
			{Text: "Compare both sources, and keep the answer.", Command: "slicewright shadow -A --for 10m -o json > before.json"},
		},
		Wait:   "Ten minutes, for the comparison.",
		Expect: []Expectation{{"", "shadow ends with code 0: everything that differs is expected. Else what differs afterwards proves nothing."}},
	}
	if m.in.Service == "" || m.in.Workload == "" {
		s.Do = append(s.Do, Action{Text: "Choose a Service that a consumer of yours uses, with a workload that may be restarted and scaled to nothing: a copy made for this, if you have no such Service. " +
			"NAMESPACE/SERVICE and deployment/NAME stand for them below (--service and --workload fill them in), SPEC and URL for the consumer and an address behind it: see slicewright verify --help."})
	} else {
		s.Do = append(s.Do, Action{Text: "SPEC and URL below stand for the consumer and an address behind it: see slicewright verify --help. The workload will be restarted and scaled to nothing."})
	}
	return s
}

// copies are where the two files lie meanwhile: never in the kubelet's folder,
// where every file that does not begin with a dot is a Pod to run.
func (m *maker) copies() (before, stopped string) {
	folder, file := path.Split(path.Clean(m.in.ManifestPath))
	base, ext := strings.TrimSuffix(file, path.Ext(file)), path.Ext(file)
	folder = path.Dir(path.Clean(folder))
	return path.Join(folder, base+".before"+ext), path.Join(folder, base+".stopped"+ext)
}

func (m *maker) keep() Step {
	before, stopped := m.copies()
	s := Step{
		Name: "keep", Title: "Keep the file as it is, and write the changed one beside it",
		Why: "Not in the manifests' folder: the kubelet runs every file there whose name does not begin with a dot, a backup too.",
		On:  "every control-plane node, as root",
		Do: []Action{
			{Command: fmt.Sprintf("cp -p %s %s", shell(m.in.ManifestPath), shell(before))},
			{Command: fmt.Sprintf("cp -p %s %s", shell(m.in.ManifestPath), shell(stopped))},
		},
		Expect: []Expectation{{fmt.Sprintf("diff %s %s", shell(before), shell(stopped)), "this change and no other; nothing else is different yet"}},
	}
	change := fmt.Sprintf("In %s, set --controllers=%s: every word that is there stays.", stopped, m.value)
	if m.manifest != nil {
		change = fmt.Sprintf("In %s, make the change of %s that is above.", stopped, m.manifest.File)
	}
	s.Do = append(s.Do, Action{Text: change})
	return s
}

// stop is a step for each node that is known, or one for all.
func (m *maker) stop() []Step {
	_, stopped := m.copies()
	lease := Expectation{
		"kubectl -n kube-system get lease kube-controller-manager -o jsonpath='{.spec.holderIdentity} {.spec.renewTime}{\"\\n\"}'",
		"a holder that has renewed within the last 15 seconds",
	}
	if len(m.managers) == 0 {
		return []Step{{
			Name: "stop", Title: "Stop the controller: one control-plane node after the other, the leader last",
			Why: "The holder of the Lease is the leader; its name begins with the node's. Nodes that are not it change first, so that leadership goes to one that has changed, and moves once. With one node alone, no controller runs for a minute.",
			On:  "one control-plane node at a time, as root",
			Do: []Action{
				{Text: "Find the leader.", Command: lease.Command},
				{Command: fmt.Sprintf("mv %s %s", shell(stopped), shell(m.in.ManifestPath))},
			},
			Wait:   waitForManager,
			Expect: []Expectation{m.running("NODE", m.value), lease},
		}}
	}
	var steps []Step
	for i, manager := range m.managers {
		to, from := m.value, ""
		if manager.Manifest != nil {
			from = manager.Manifest.Controllers
			if own, err := switchOff(from, manager.Manifest.Minor); err == nil {
				to = own
			}
		}
		node := manager.Node
		if node == "" {
			node = "NODE"
		}
		s := Step{
			Name: "stop-" + node, Title: fmt.Sprintf("Stop the controller on node %s", node),
			On:     "node " + node + ", as root",
			Do:     []Action{{Command: fmt.Sprintf("mv %s %s", shell(stopped), shell(m.in.ManifestPath))}},
			Wait:   waitForManager,
			Expect: []Expectation{m.running(node, to), lease},
		}
		if manager.Manifest != nil {
			s.Why = fmt.Sprintf("It runs with %s.", shown(from))
		}
		switch {
		case len(m.managers) == 1:
			s.Why = strings.TrimSpace(s.Why + " It is the only one: for a minute no controller runs.")
		case i == len(m.managers)-1 && m.in.Cluster.leads(manager):
			s.Why = strings.TrimSpace(s.Why + " It leads, so it comes last: one that has changed takes over, and the controller is off from then on.")
		default:
			s.Why = strings.TrimSpace(s.Why + " It does not lead: nothing changes in the cluster yet.")
		}
		steps = append(steps, s)
	}
	return steps
}

// running looks at the command line of the manager that now runs.
func (m *maker) running(node, value string) Expectation {
	return Expectation{
		fmt.Sprintf("kubectl -n kube-system get pod kube-controller-manager-%s -o jsonpath='{.status.phase} {.spec.containers[0].command} {.spec.containers[0].args}{\"\\n\"}'", node),
		"Running, with --controllers=" + value,
	}
}

// steady is what verify has to say.
const steady = "ends with code 0: the consumer has what the slices have, and probes were answered by nobody else"

func (m *maker) rolling() string {
	w := m.workload()
	return m.kubectl("rollout restart %s", w) + " && " + m.kubectl("rollout status %s --timeout 5m", w)
}

func (m *maker) rollout() Step {
	namespace, name := m.service()
	return Step{
		Name: "rollout", Title: "Give the Pods new addresses",
		Why: "Nothing shows as long as nothing changes.",
		Do:  []Action{{Text: "Restart the workload, and watch the consumer while it happens.", Command: m.verify(m.rolling(), true)}},
		Expect: []Expectation{
			{"", "verify " + steady},
			{
				fmt.Sprintf("slicewright shadow %s/%s", namespace, name),
				"ends with code 3, with endpoints-stale and endpoints-behind: Endpoints did not change, so the controller is off. With code 0 it is not",
			},
		},
		Wait:   "As long as the rollout, and the settle time of verify after it.",
		Checks: []string{"controller-stopped", "consumer-followed"},
	}
}

func (m *maker) reader() Step {
	_, name := m.service()
	return Step{
		Name: "reader", Title: "See what a reader of Endpoints does now",
		Why: "Without this counter-check nothing shows that the experiment could have failed.",
		Do: []Action{
			{Text: "Read the addresses as such a reader does.", Command: m.kubectl("get endpoints %s -o jsonpath='{.subsets[*].addresses[*].ip}{\"\\n\"}'", name)}, //nolint:endpointsvet // what such a reader does
			{Text: "Connect to one of them, from where Pods are reached.", Command: "curl --max-time 5 http://ADDRESS:PORT/"},
		},
		Expect: []Expectation{{"", "addresses of before the rollout, and no answer, or one of a Pod that is not this Service's"}},
		Checks: []string{"endpoints-reader-did-not"},
	}
}

func (m *maker) empty() Step {
	w := m.workload()
	return Step{
		Name: "empty", Title: "Remove the last backend, and bring it back",
		Why: "For that time nobody can use the Service. An autoscaler of the workload must be paused.",
		Do: []Action{
			{Text: "Note how many there are.", Command: m.kubectl("get %s -o jsonpath='{.spec.replicas}{\"\\n\"}'", w)},
			{Text: "Without probes, which nobody could answer:", Command: m.verify(m.kubectl("scale %s --replicas=0", w), false)},
			{Text: "With the number that was noted:", Command: m.verify(m.kubectl("scale %s --replicas=REPLICAS", w), true)},
		},
		Expect: []Expectation{{"", "both end with code 0: the consumer had nothing while there was nothing, and got all back"}},
		Checks: []string{"last-backend-removed"},
	}
}

func (m *maker) restart() Step {
	return Step{
		Name: "restart", Title: "Restart the consumer",
		Why:    "One that reads Endpoints at its start alone shows it now.",
		Do:     []Action{{Text: "Restart the consumer in the way that is its own, then look.", Command: m.verify("", true)}},
		Expect: []Expectation{{"", "verify " + steady}},
		Checks: []string{"consumer-restarted"},
	}
}

func (m *maker) cut() Step {
	return Step{
		Name: "cut", Title: "Cut the consumer off from the API server, and let it come back",
		Do: []Action{
			{Text: "Refuse its connections to the API server for two minutes, with a NetworkPolicy or a firewall rule where it runs, and cut those that are open. Meanwhile:", Command: m.rolling()},
			{Text: "Take the rule away, and look.", Command: m.verify("", true)},
		},
		Wait:   "Up to a minute after the connection is back: clients wait longer between attempts the longer it was gone.",
		Expect: []Expectation{{"", "while it was cut off the consumer kept what it had, and took nothing out; then verify " + steady}},
		Checks: []string{"connection-cut"},
	}
}

// restore is the way back, as the last step of the experiment and for emergencies.
func (m *maker) restore(name, title string) Step {
	before, _ := m.copies()
	s := Step{
		Name: name, Title: title,
		Why:    "The same order: one node at a time, the leader last.",
		On:     "one control-plane node at a time, as root",
		Do:     []Action{{Command: fmt.Sprintf("cp -p %s %s.new && mv %s.new %s", shell(before), shell(before), shell(before), shell(m.in.ManifestPath))}},
		Wait:   waitForBack,
		Expect: []Expectation{{"slicewright shadow -A", "ends with code 0: Endpoints have caught up"}},
		Checks: []string{"way-back"},
	}
	if c := m.in.Cluster; c != nil && c.Services > 0 {
		s.Wait += fmt.Sprintf(" There are %d.", c.Services)
	}
	return s
}

func (m *maker) report() Step {
	return Step{
		Name: "report", Title: "Write down what was seen",
		Do: []Action{
			{Text: "A form to fill in; a check without a sentence of evidence counts for nothing.", Command: "slicewright experiment plan -o report > report.yaml"},
			{Command: "slicewright gate --registry registry.yaml --shadow before.json --timeline FILE.db --audit AUDIT --cluster --experiment report.yaml"},
		},
		Expect: []Expectation{{"", "the criterion stop-experiment is met"}},
	}
}

func (m *maker) stay() Step {
	s := Step{
		Name: "stay", Title: "Later, when the gate says ready: stop it for good",
		Why: "The same change once more, and in kubeadm's configuration too: else the next kubeadm upgrade brings the controller back.",
		Do:  []Action{{Text: "Change the manifests as above, one node at a time."}},
		Expect: []Expectation{{
			"kubectl -n kube-system get configmap kubeadm-config -o jsonpath='{.data.ClusterConfiguration}'",
			"controllers under controllerManager.extraArgs, with -" + controllers.Endpoints,
		}},
	}
	const edit = "kubectl -n kube-system edit configmap kubeadm-config"
	switch {
	case m.kubeadm == nil:
		s.Do = append(s.Do,
			Action{Text: "In kubeadm's ClusterConfiguration, if the cluster is kubeadm's:", Command: edit},
			Action{Text: "In v1beta3 and before:", Fragment: kubeadmFragment(false, m.value)},
			Action{Text: "In v1beta4 and v1:", Fragment: kubeadmFragment(true, m.value)})
	case m.kubeadm.Needed():
		s.Do = append(s.Do, Action{Text: fmt.Sprintf("In kubeadm's ClusterConfiguration, the change of %s that is above:", m.kubeadm.File), Command: edit})
	default:
		s.Do = append(s.Do, Action{Text: "kubeadm's ClusterConfiguration has it already."})
	}
	return s
}

// shell writes a path as one word of a shell.
func shell(word string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-+@%", r)
	}
	if word != "" && !strings.ContainsFunc(word, func(r rune) bool { return !plain(r) }) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
