package conformance

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// reproductionName is the file of a cell that breaks.
func reproductionName(c Cell) string { return c.Consumer + "--" + c.Scenario + ".sh" }

// Reproductions are scripts, by file name, that show each cell that breaks, in
// any cluster and without the lab. Those of the control are left out: it is meant
// to break.
func Reproductions(r *Results) (map[string]string, error) {
	scripts := map[string]string{}
	for _, cell := range r.Cells {
		i := indexOf(r.Consumers, cell.Consumer)
		if cell.Verdict != Breaks || i < 0 || r.Consumers[i].Control {
			continue
		}
		s, ok := find(cell.Scenario)
		if !ok {
			return nil, fmt.Errorf("results are of a scenario %s that is no more: run it again", cell.Scenario)
		}
		script, err := s.script(r.Consumers[i], cell)
		if err != nil {
			return nil, err
		}
		scripts[reproductionName(cell)] = script
	}
	return scripts, nil
}

// WriteReproductions writes the scripts into a folder, which is made if it is
// missing, and returns how many there are.
func (r *Results) WriteReproductions(dir string) (int, error) {
	scripts, err := Reproductions(r)
	if err != nil {
		return 0, err
	}
	errs := []error{os.MkdirAll(dir, 0o755)}
	for name, content := range scripts {
		errs = append(errs, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o755))
	}
	if err := errors.Join(errs...); err != nil {
		return 0, fmt.Errorf("write reproductions: %w", err)
	}
	return len(scripts), nil
}

func indexOf(all []ConsumerResult, name string) int {
	for i, c := range all {
		if c.Name == name {
			return i
		}
	}
	return -1
}

// script is as small as is known to break: a consumer that is still wrong after
// a restart has been wrong with nothing but the state that it started on, so
// that one apply of that state is enough. Else it takes the steps.
func (s *Scenario) script(c ConsumerResult, cell Cell) (string, error) {
	const namespace = "reproduction"
	var text strings.Builder
	o := cell.firstBroken()
	fmt.Fprintf(&text, `#!/bin/sh
# %s
# %s
#
# Wanted, by rule %s: %s
# Seen, in %d of %d plays: %s
# %s: %s.
#
# Addresses are written by their last part: 7 is %s, 6:7 is %s.
# The consumer follows Service %s in namespace %s. In the lab, with the consumer:
#   slicewright-lab conformance --scenario %s --consumer %s
set -eu
kubectl create namespace %s
`, oneLine(s.Title), oneLine(c.Title+" ("+strings.Join(c.Versions, ", ")+")"), cell.Rule, o.Want, cell.Broken, cell.Plays, oneLine(o.Summary()),
		"Restarted", cell.healing(), s.block().address(false, 7), s.block().address(true, 7), o.Service, namespace, s.Name, c.Name, namespace)
	for _, service := range s.services() {
		families := ""
		if s.DualStack {
			families = "\n  ipFamilyPolicy: RequireDualStack"
		}
		selector := ""
		if s.Pods {
			selector = fmt.Sprintf("\n  selector: {app: %s}", service)
		}
		apply(&text, namespace, fmt.Sprintf("apiVersion: v1\nkind: Service\nmetadata: {name: %s}\nspec:\n  ports: [{name: %s, port: 80, targetPort: %d}]%s%s\n",
			service, portName, defaultPort, families, selector))
	}
	if s.Pods || s.usesLab(cell.Step) {
		text.WriteString("# The rest needs Pods with known addresses, or a control plane to take apart: play it in the lab.\n")
		return text.String(), nil
	}
	if cell.RestartHeals == "no" {
		fmt.Fprintf(&text, "# The state after step %d; a consumer that starts on it sees it:\n", cell.Step)
		manifests, err := s.manifests(s.stateAfter(cell.Step), namespace)
		if err != nil {
			return "", err
		}
		apply(&text, namespace, manifests)
		return text.String(), nil
	}
	text.WriteString("# It takes the steps: start the consumer first, and give it some seconds after each.\n")
	for n, step := range s.Steps[:cell.Step] {
		fmt.Fprintf(&text, "# Step %d: %s\n", n+1, oneLine(step.Say))
		if len(step.Apply) > 0 {
			manifests, err := s.manifests(step.Apply, namespace)
			if err != nil {
				return "", err
			}
			apply(&text, namespace, manifests)
		}
		for _, name := range step.Delete {
			fmt.Fprintf(&text, "kubectl -n %s delete endpointslice %s\n", namespace, name)
		}
		text.WriteString("sleep 5\n")
	}
	return text.String(), nil
}

// stateAfter are the slices that are there after a step, in the order in which
// they were written last: which record is the newest can matter.
func (s *Scenario) stateAfter(step int) []Slice {
	var state []Slice
	remove := func(name string) {
		for i := range state {
			if state[i].Name == name {
				state = append(state[:i:i], state[i+1:]...)
				return
			}
		}
	}
	for _, st := range s.Steps[:step] {
		for _, slice := range st.Apply {
			remove(slice.Name)
			state = append(state, slice)
		}
		for _, name := range st.Delete {
			remove(name)
		}
	}
	return state
}

// usesLab reports whether a step up to this one does more than write slices.
func (s *Scenario) usesLab(step int) bool {
	for _, st := range s.Steps[:step] {
		if st.Lab != nil || st.Restart {
			return true
		}
	}
	return false
}

func apply(text *strings.Builder, namespace, manifests string) {
	fmt.Fprintf(text, "kubectl -n %s apply --server-side --force-conflicts -f - <<'END'\n%sEND\n", namespace, manifests)
}

// oneLine keeps text of programs inside a comment.
func oneLine(text string) string { return strings.Join(strings.Fields(plain(text)), " ") }
