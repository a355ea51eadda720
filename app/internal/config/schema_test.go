package config

import (
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

const schemaFile = "../../../docs/schemas/config.schema.json"

func fitsSchema(t *testing.T, text string) error {
	t.Helper()
	schema, err := jsonschema.NewCompiler().Compile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	asJSON, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(string(asJSON)))
	if err != nil {
		t.Fatal(err)
	}
	return schema.Validate(value)
}

// What the project shows as configurations is accepted by the program and fits
// the schema.
func TestShownConfigurationsAreValid(t *testing.T) {
	example, err := os.ReadFile("../../../examples/run/config.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"the test's own": whole, "examples/run": string(example), "deploy/kubernetes": deployed(t),
	} {
		if _, err := Parse([]byte(text), "../../../examples/run"); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err := fitsSchema(t, text); err != nil {
			t.Errorf("%s does not fit the schema: %v", name, err)
		}
	}
}

// deployed returns the configuration in the manifests.
func deployed(t *testing.T) string {
	t.Helper()
	manifests, err := os.ReadFile("../../../deploy/kubernetes/deployment.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for doc := range strings.SplitSeq(string(manifests), "\n---\n") {
		var m corev1.ConfigMap
		if err := yaml.Unmarshal([]byte(doc), &m); err == nil && m.Kind == "ConfigMap" {
			return m.Data["config.yaml"]
		}
	}
	t.Fatal("there is no ConfigMap in the manifests")
	return ""
}

// What the schema can say, it says: these are refused by both.
func TestMistakesDoNotFitTheSchema(t *testing.T) {
	for _, c := range []struct{ name, old, new string }{
		{"an unknown field", "onEmpty: hold", "onEmtpy: hold"},
		{"an unknown policy", "policy: published", "policy: redy"},
		{"an unknown kind", "kind: Config", "kind: Konfig"},
		{"no family", "[IPv4]", "[IPv5]"},
		{"no time span", "30s", "thirty"},
		{"a Service without namespace", "service: vector-lab/reports", "service: reports"},
		{"a hostile name", "name: peers", `name: "x { }"`},
		{"shadow with a target", "  onEmpty: hold", "  mode: shadow"},
		{"no target", "  to:\n  - template: {source: \"builtin:json\", destination: peers.json}\n", "  to: []\n"},
		{"two targets in one", "  - template: {source: \"builtin:nginx\"", "    template: {source: \"builtin:nginx\""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if !strings.Contains(whole, c.old) {
				t.Fatalf("%q is not in the configuration", c.old)
			}
			text := strings.Replace(whole, c.old, c.new, 1)
			if fitsSchema(t, text) == nil {
				t.Error("it fits the schema")
			}
			if _, err := Parse([]byte(text), "/etc/slicewright"); err == nil {
				t.Error("the program accepts it")
			}
		})
	}
}

// The schema has every field that the program reads, and no other.
func TestTheSchemaHasTheFieldsOfTheProgram(t *testing.T) {
	data, err := os.ReadFile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	type node struct {
		Ref        string          `json:"$ref"`
		Properties map[string]node `json:"properties"`
		Items      *node           `json:"items"`
		Defs       map[string]node `json:"$defs"`
	}
	var root node
	if err := json.Unmarshal(data, &root); err != nil {
		t.Fatal(err)
	}
	resolve := func(n node) node {
		if name, ok := strings.CutPrefix(n.Ref, "#/$defs/"); ok {
			return root.Defs[name]
		}
		return n
	}
	leaves := map[reflect.Type]bool{
		reflect.TypeFor[Prefix](): true, reflect.TypeFor[Duration](): true, reflect.TypeFor[time.Duration](): true,
	}
	compared := 0
	var compare func(path string, typ reflect.Type, n node)
	compare = func(path string, typ reflect.Type, n node) {
		n = resolve(n)
		for typ.Kind() == reflect.Pointer {
			typ = typ.Elem()
		}
		switch {
		case leaves[typ]:
		case typ.Kind() == reflect.Slice && n.Items != nil:
			compare(path+"[]", typ.Elem(), *n.Items)
		case typ.Kind() == reflect.Struct:
			known := map[string]bool{}
			for field := range typ.Fields() {
				name := field.Tag.Get("yaml")
				if name == "" {
					continue
				}
				compared++
				known[name] = true
				property, there := n.Properties[name]
				if !there {
					t.Errorf("the schema has no %s.%s", path, name)
					continue
				}
				compare(path+"."+name, field.Type, property)
			}
			for name := range n.Properties {
				if !known[name] {
					t.Errorf("the program does not read %s.%s", path, name)
				}
			}
		}
	}
	compare("", reflect.TypeFor[Config](), root)
	if compared < 40 {
		t.Errorf("only %d fields were compared", compared)
	}
}
