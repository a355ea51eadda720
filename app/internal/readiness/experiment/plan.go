package experiment

import (
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/slicewright/slicewright/app/experiment/controllers"
	"github.com/slicewright/slicewright/app/internal/api"
	"github.com/slicewright/slicewright/internal/text"
)

// The identity of a Plan.
const (
	APIVersion = api.Version
	PlanKind   = "ExperimentPlan"
)

// Input is what a plan is made from. All of it may be missing: the plan then says
// what to look up.
type Input struct {
	// Manifest is the file on a control-plane node.
	Manifest *Manifest
	// Kubeadm is a configuration that was given; nil takes the cluster's.
	Kubeadm *Kubeadm
	// Cluster is what was read of one, nil if none was asked.
	Cluster *Cluster
	// ManifestPath is where the file is on the nodes, "" for kubeadm's place.
	ManifestPath string
	// Service and Workload are what the experiment is done with, such as
	// "shop/cart" and "deployment/cart". "" leaves a place to fill in.
	Service, Workload string
}

// Plan is the stop experiment for one cluster, as steps for people. Making one
// changes nothing. Its schema is docs/schemas/experimentplan.schema.json.
type Plan struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	// Possible is false if an obstacle is in the way.
	Possible  bool     `json:"possible"`
	Obstacles []string `json:"obstacles"`
	// Known is false where a cluster was asked and does not show how its
	// controllers are started.
	Known bool `json:"known"`
	// Kubernetes is the version, "" where nothing says it.
	Kubernetes string `json:"kubernetes,omitempty"`
	Way        Way    `json:"way"`
	// Off: the Endpoints controller does not run already.
	Off bool `json:"off"`
	// Controllers is the value of --controllers with which it does not run, "" where
	// the one in use is not known.
	Controllers string `json:"controllers,omitempty"`
	// Notes say what is taken for granted, and what could not be read.
	Notes []string `json:"notes"`
	// Edits are the files to change: the static Pod's, and kubeadm's.
	Edits []Edit `json:"edits"`
	Steps []Step `json:"steps"`
	// Back is what to do at once if something goes wrong, whatever the step; nil
	// where nothing is stopped.
	Back *Step `json:"back,omitempty"`
	// Ways are the other ways to start the controllers.
	Ways []Way `json:"ways"`
}

// Step is one step.
type Step struct {
	Name  string `json:"name"`
	Title string `json:"title"`
	// Why says what the step is for, or what it costs.
	Why string `json:"why,omitempty"`
	// On is where: a node, or "" for wherever kubectl works.
	On string   `json:"on,omitempty"`
	Do []Action `json:"do"`
	// Wait says how long things may take, and why.
	Wait string `json:"wait,omitempty"`
	// Expect is what must be seen; otherwise go back.
	Expect []Expectation `json:"expect"`
	// Checks are the checks of an ExperimentReport that the step decides.
	Checks []string `json:"checks,omitempty"`
}

// Action is one thing to do: in words, as a command, as what a file has to hold,
// or as several of these.
type Action struct {
	Text     string `json:"text,omitempty"`
	Command  string `json:"command,omitempty"`
	Fragment string `json:"fragment,omitempty"`
}

// Expectation is a command and what it must say.
type Expectation struct {
	Command string `json:"command,omitempty"`
	Says    string `json:"says"`
}

// Make makes the plan. It fails for names that cannot be, and for files that
// cannot be edited.
func Make(in Input) (*Plan, error) {
	if err := in.Check(); err != nil {
		return nil, err
	}
	p := &Plan{
		APIVersion: APIVersion, Kind: PlanKind, Known: true, Way: static,
		Obstacles: []string{}, Notes: []string{}, Edits: []Edit{}, Steps: []Step{}, Ways: Ways(),
	}
	m := &maker{Plan: p, in: in}
	if in.ManifestPath == "" {
		m.in.ManifestPath = DefaultManifestPath
	}
	m.look()
	if err := m.edits(); err != nil {
		return nil, err
	}
	p.Possible = len(p.Obstacles) == 0
	if p.Possible {
		m.steps()
	}
	return p, nil
}

// Names stand in commands that people copy: nothing but names may be in them.
var (
	serviceName  = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?/[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$`)
	workloadName = regexp.MustCompile(`^(deployment|statefulset)/[a-z0-9]([-.a-z0-9]{0,251}[a-z0-9])?$`)
	nodeName     = regexp.MustCompile(`^[a-z0-9]([-.a-z0-9]{0,251}[a-z0-9])?$`)
)

// Check finds names that hold more than a name.
func (in *Input) Check() error {
	switch {
	case in.Service != "" && !serviceName.MatchString(in.Service):
		return fmt.Errorf("the Service %s is not a name: write NAMESPACE/NAME", quoted(in.Service))
	case in.Workload != "" && !workloadName.MatchString(in.Workload):
		return fmt.Errorf("the workload %s cannot be restarted and scaled: write deployment/NAME or statefulset/NAME", quoted(in.Workload))
	case in.ManifestPath != "" && (!path.IsAbs(in.ManifestPath) || strings.ContainsFunc(in.ManifestPath, unicode.IsControl) || path.Dir(path.Clean(in.ManifestPath)) == "/"):
		return fmt.Errorf("the path %s is not the path of a manifest: write the whole path of the file on the node, such as %s", quoted(in.ManifestPath), DefaultManifestPath)
	}
	return nil
}

// maker makes a plan.
type maker struct {
	*Plan
	in Input
	// managers are those that run, in the order in which they are changed; empty
	// where they are not known.
	managers []Manager
	// value is the new one, or how to make it where the old one is not known.
	value string
	// manifest and kubeadm are the changes, nil where they are not known.
	manifest, kubeadm *Edit
}

func (m *maker) note(format string, args ...any) {
	m.Notes = append(m.Notes, fmt.Sprintf(format, args...))
}

func (m *maker) obstacle(format string, args ...any) {
	m.Obstacles = append(m.Obstacles, fmt.Sprintf(format, args...))
}

// look takes in what the cluster says of itself.
func (m *maker) look() {
	c := m.in.Cluster
	if c == nil {
		return
	}
	m.Kubernetes = c.Version
	m.Way = wayOf(c.Version, c.Labels)
	for _, name := range slices.Sorted(maps.Keys(c.Unread)) {
		m.note("Not read: %s (%s).", name, c.Unread[name])
	}
	for _, manager := range c.inOrder() {
		if !nodeName.MatchString(manager.Node) {
			m.note("A Pod of kube-controller-manager names no node that can be: %s.", quoted(manager.Node))
			continue
		}
		if manager.Problem != "" {
			m.note("On node %s: %s.", manager.Node, manager.Problem)
		}
		m.managers = append(m.managers, manager)
	}
	if !m.Way.Possible && m.in.Manifest == nil && len(m.managers) == 0 {
		m.obstacle("This is %s. %s", m.Way.Name, m.Way.How)
		return
	}
	if len(m.managers) > 0 {
		m.Way = static
		return
	}
	m.Known = m.in.Manifest != nil || m.Way != static
	m.note("No Pod of kube-controller-manager is to be seen in kube-system: it is started in another way, or Pods there may not be listed. The steps below are for static Pods; other ways are at the end.")
}

// edits finds out which value is to be written where.
func (m *maker) edits() error {
	froms := map[string]bool{}
	if f := m.in.Manifest; f != nil {
		e, err := f.SwitchOff()
		if err != nil {
			return err
		}
		m.manifest = &e
		m.Edits = append(m.Edits, e)
		m.decide(f.Controllers, f.Minor, froms)
	}
	for _, manager := range m.managers {
		if f := manager.Manifest; f != nil {
			if g := m.in.Manifest; g != nil && g.Controllers != f.Controllers {
				m.note("Node %s runs with %s, and %s has %s: take each node's own file.", manager.Node, shown(f.Controllers), g.Name, shown(g.Controllers))
			}
			m.decide(f.Controllers, f.Minor, froms)
		}
	}
	if len(froms) > 1 {
		m.note("The nodes' values differ: each gets -%s added to its own.", controllers.Endpoints)
	}
	if k := m.in.Kubeadm; k == nil && m.in.Cluster != nil {
		m.in.Kubeadm = m.in.Cluster.Kubeadm
	}
	if k := m.in.Kubeadm; k != nil {
		e, err := k.SwitchOff()
		if err != nil {
			return err
		}
		m.kubeadm = &e
		m.Edits = append(m.Edits, e)
		if len(froms) > 0 && !froms[k.Controllers] {
			m.note("kubeadm would start kube-controller-manager with %s: somebody changed the manifest by hand.", shown(k.Controllers))
		}
		if len(froms) == 0 {
			m.value = e.To
		}
	}
	m.Controllers = m.value
	if m.value == "" {
		m.value = "VALUE,-" + controllers.Endpoints
		m.note("The value of --controllers is not known. VALUE below is in its place: what is in the manifest (kubeadm writes %s), or * where the flag is not given. --from-manifest or --cluster fill it in.", kubeadmControllers)
	}
	return nil
}

// decide takes in one value that is in use.
func (m *maker) decide(list string, minor int, froms map[string]bool) {
	froms[list] = true
	to, err := switchOff(list, minor)
	if err != nil {
		m.obstacle("--controllers of the cluster cannot be read: %v.", err)
		return
	}
	if m.value == "" {
		m.value = to
		m.Off = to == list
	}
	m.Off = m.Off && to == list
	if on, err := controllers.Runs(to, controllers.EndpointSlice); err == nil && !on {
		m.obstacle("With %s the %s does not run either, so that nobody would write EndpointSlices.", shown(to), controllers.EndpointSlice)
	}
}

// shown is a value of the flag in a sentence.
func shown(controllers string) string {
	if controllers == "" {
		return "no --controllers, which is *"
	}
	return "--controllers=" + text.Line(controllers)
}
