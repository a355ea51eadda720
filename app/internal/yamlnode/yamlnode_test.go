package yamlnode_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/slicewright/slicewright/app/internal/yamlnode"
)

const text = `kind: Config
empty: null
port: &port 80
spec:
  alias: *port
  list:
  - name: a
  - name: b
twice: 1
`

func parsed(t *testing.T) *yaml.Node {
	t.Helper()
	var n yaml.Node
	if err := yaml.Unmarshal([]byte(text), &n); err != nil {
		t.Fatal(err)
	}
	return &n
}

func TestText(t *testing.T) {
	root := parsed(t)
	got := map[string]string{}
	for _, path := range [][]string{{"kind"}, {"empty"}, {"port"}, {"spec"}, {"spec", "alias"}, {"spec", "list", "name"}, {"kind", "deeper"}, {"missing"}, {}} {
		got[fmt.Sprint(path)] = yamlnode.Text(root, path...)
	}
	want := map[string]string{
		"[kind]": "Config", "[empty]": "", "[port]": "80", "[spec]": "", "[spec alias]": "80",
		"[spec list name]": "", "[kind deeper]": "", "[missing]": "", "[]": "",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if yamlnode.Text(nil, "a") != "" || yamlnode.Value(nil) != nil {
		t.Error("a missing node has a value")
	}
}

func TestFieldHasTheKeysPlaceAndTheValuesTarget(t *testing.T) {
	key, value := yamlnode.Field(yamlnode.Value(parsed(t), "spec"), "alias")
	if key == nil || value == nil {
		t.Fatal("alias is not found")
	}
	if diff := cmp.Diff([]int{5, 3, 3}, []int{key.Line, key.Column, value.Line}); diff != "" {
		t.Errorf("line and column of the key, line of the value (-want +got)\n%s", diff)
	}
	if key, value := yamlnode.Field(parsed(t), "missing"); key != nil || value != nil {
		t.Errorf("found %v, %v", key, value)
	}
}

func TestNearestIsTheLastThatExists(t *testing.T) {
	root := parsed(t)
	for line, path := range map[int][]any{
		8: {"spec", "list", 1, "name"},
		7: {"spec", "list", 0, "port"},
		5: {"spec", "alias", "deeper"},
		1: {"missing", 3},
	} {
		if got := yamlnode.Nearest(root, path...).Line; got != line {
			t.Errorf("%v: line %d, want %d", path, got, line)
		}
	}
}

func TestAliasesOfAliasesEnd(t *testing.T) {
	loop := &yaml.Node{Kind: yaml.AliasNode}
	loop.Alias = loop
	if got := yamlnode.Target(loop); got != nil {
		t.Errorf("%+v", got)
	}
}
