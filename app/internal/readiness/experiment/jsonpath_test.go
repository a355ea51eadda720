package experiment

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"k8s.io/client-go/util/jsonpath"
)

// What kubectl is asked to print is a template that kubectl takes, and finds what
// it is meant to find.
func TestTheTemplatesForKubectl(t *testing.T) {
	objects := map[string]struct {
		object map[string]any
		want   string
	}{
		"get lease": {
			map[string]any{"spec": map[string]any{"holderIdentity": "cp-1_x", "renewTime": "2026-05-01T00:00:00Z"}}, "cp-1_x 2026-05-01T00:00:00Z\n",
		},
		"get pod": {
			map[string]any{"status": map[string]any{"phase": "Running"}, "spec": map[string]any{"containers": []any{map[string]any{"command": []any{"kcm", "--controllers=*"}}}}},
			"Running [\"kcm\",\"--controllers=*\"] \n",
		},
		"get endpoints": {
			map[string]any{"subsets": []any{map[string]any{"addresses": []any{map[string]any{"ip": "10.0.0.1"}, map[string]any{"ip": "10.0.0.2"}}}}}, "10.0.0.1 10.0.0.2\n",
		},
		"get deployment": {map[string]any{"spec": map[string]any{"replicas": 3}}, "3\n"},
		"get configmap":  {map[string]any{"data": map[string]any{"ClusterConfiguration": "kind: X"}}, "kind: X"},
	}
	template := regexp.MustCompile(`kubectl .*?(get [a-z]+).* -o jsonpath='([^']*)'`)
	found := map[string]bool{}
	for _, step := range made(t, Input{}).Steps {
		for line := range strings.Lines(commands(step)) {
			match := template.FindStringSubmatch(line)
			if match == nil {
				continue
			}
			found[match[1]] = true
			// kubectl takes an absent field for nothing.
			path := jsonpath.New("plan").AllowMissingKeys(true)
			if err := path.Parse(match[2]); err != nil {
				t.Errorf("%s: %v", line, err)
				continue
			}
			var out bytes.Buffer
			if err := path.Execute(&out, objects[match[1]].object); err != nil || out.String() != objects[match[1]].want {
				t.Errorf("%s gives %q (%v), want %q", line, out.String(), err, objects[match[1]].want)
			}
		}
	}
	for name := range objects {
		if !found[name] {
			t.Errorf("no step has %s", name)
		}
	}
}
