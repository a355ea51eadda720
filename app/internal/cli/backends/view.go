package backends

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/slicewright/slicewright/app/internal/backendreport"
	"github.com/slicewright/slicewright/app/internal/cli/choice"
	"github.com/slicewright/slicewright/app/internal/cli/command"
	"github.com/slicewright/slicewright/app/internal/output"
	"github.com/slicewright/slicewright/endpointset"
)

// A backendsView shows the Services of an index.
type backendsView struct {
	out     io.Writer
	format  backendreport.Format
	options backendreport.Options
	index   *endpointset.Index
	// wanted are the Services that were named; none means all.
	wanted []endpointset.ServiceKey
	// seen are the Services that had a slice at some time.
	seen map[endpointset.ServiceKey]bool
	// shown is what --watch has shown last.
	shown map[endpointset.ServiceKey]backendreport.Service
}

// show prints the present state. where names the source in errors.
func (v *backendsView) show(inNamespace func(string) bool, where string) error {
	keys, err := v.keys(inNamespace, where)
	if err != nil {
		return err
	}
	report := backendreport.New()
	for _, key := range keys {
		report.Add(v.index.Service(key), v.options)
	}
	return report.Print(v.out, v.format)
}

// keys returns the Services to show.
func (v *backendsView) keys(inNamespace func(string) bool, where string) ([]endpointset.ServiceKey, error) {
	if len(v.wanted) == 0 {
		return slices.DeleteFunc(v.index.Services(), func(key endpointset.ServiceKey) bool { return !inNamespace(key.Namespace) }), nil
	}
	keys := make([]endpointset.ServiceKey, 0, len(v.wanted))
	for _, want := range v.wanted {
		key, err := v.find(want, where)
		if err != nil {
			return nil, err
		}
		keys = append(keys, key)
	}
	return keys, nil
}

// find returns the Service that was meant, by its name alone if no namespace
// was given.
func (v *backendsView) find(want endpointset.ServiceKey, where string) (endpointset.ServiceKey, error) {
	var found []endpointset.ServiceKey
	for key := range v.seen {
		if key.Name == want.Name && (want.Namespace == "" || key.Namespace == want.Namespace) {
			found = append(found, key)
		}
	}
	switch len(found) {
	case 0:
		if want.Namespace == "" {
			return want, fmt.Errorf("no Service %q has an EndpointSlice in %s", want.Name, where)
		}
		return want, choice.ErrNoSlices(want, where)
	case 1:
		return found[0], nil
	}
	slices.SortFunc(found, func(a, b endpointset.ServiceKey) int { return cmp.Compare(a.Namespace, b.Namespace) })
	return want, command.UsageErrorf("Service %q is in several namespaces, among them %s and %s: write NAMESPACE/%s",
		want.Name, found[0].Namespace, found[1].Namespace, want.Name)
}

// showChanges prints what changes made different: whole reports of the Services
// as JSON lines or YAML documents, in the other formats a line a backend.
func (v *backendsView) showChanges(changes []endpointset.Change, inNamespace func(string) bool) error {
	for i := range changes {
		key := changes[i].Service
		if !v.wants(key, inNamespace) {
			continue
		}
		after := backendreport.Of(v.index.Service(key), v.options)
		before := v.shown[key]
		v.shown[key] = after
		if err := v.printChange(before, after); err != nil {
			return err
		}
	}
	return nil
}

func (v *backendsView) wants(key endpointset.ServiceKey, inNamespace func(string) bool) bool {
	if len(v.wanted) == 0 {
		return inNamespace(key.Namespace)
	}
	return slices.ContainsFunc(v.wanted, func(want endpointset.ServiceKey) bool {
		return want.Name == key.Name && (want.Namespace == "" || want.Namespace == key.Namespace)
	})
}

func (v *backendsView) printChange(before, after backendreport.Service) error {
	report := backendreport.New()
	report.Services = append(report.Services, after)
	switch v.format {
	case backendreport.JSON:
		return json.NewEncoder(v.out).Encode(report)
	case backendreport.YAML:
		if _, err := io.WriteString(v.out, "---\n"); err != nil {
			return err
		}
		return output.YAML(v.out, report)
	}
	return backendreport.PrintDifference(v.out, before, after, v.format)
}
