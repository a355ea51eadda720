package output_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slicewright/slicewright/app/internal/output"
)

type answer struct {
	Name  string   `json:"name"`
	Ports []uint16 `json:"ports"`
	Empty string   `json:"empty,omitempty"`
}

func TestFormats(t *testing.T) {
	for format, test := range map[string]struct {
		write func(io.Writer, any) error
		want  string
	}{
		"json": {output.JSON, "{\n  \"name\": \"web\",\n  \"ports\": [\n    80\n  ]\n}\n"},
		"yaml": {output.YAML, "name: web\nports:\n- 80\n"},
	} {
		var out strings.Builder
		if err := test.write(&out, answer{Name: "web", Ports: []uint16{80}}); err != nil {
			t.Errorf("%s: %v", format, err)
		}
		if diff := cmp.Diff(test.want, out.String()); diff != "" {
			t.Errorf("%s (-want +got)\n%s", format, diff)
		}
		if err := test.write(&out, func() {}); err == nil {
			t.Errorf("%s: a function was written", format)
		}
		if err := test.write(full{}, answer{}); !errors.Is(err, errFull) {
			t.Errorf("%s: error %v", format, err)
		}
	}
}

var errFull = errors.New("no space left")

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestCheck(t *testing.T) {
	formats := []string{"table", "json"}
	if err := output.Check("json", formats); err != nil {
		t.Error(err)
	}
	for _, format := range []string{"", "xml", "JSON"} {
		err := output.Check(format, formats)
		if err == nil || err.Error() != `unknown output "`+format+`": use one of table, json` {
			t.Errorf("%q: error %v", format, err)
		}
	}
}
