package house

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// The lab is another module, without a reader of schemas: what it wrote is held
// to its schema here.
func TestConformanceResultsMeetTheirSchema(t *testing.T) {
	schema, err := jsonschema.NewCompiler().Compile(filepath.Join(root, "docs/schemas/conformanceresults.schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(filepath.Join(root, "lab/conformance/results.json"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	value, err := jsonschema.UnmarshalJSON(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(value); err != nil {
		t.Error(err)
	}
}
