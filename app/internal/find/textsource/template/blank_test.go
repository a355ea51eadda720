package template

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestBlankActions(t *testing.T) {
	f := func(n int) string { return strings.Repeat(string(Filler), n) }
	tests := []struct{ name, in, want string }{
		{"a value is filler", "a: {{ .Values.x }}b", "a: " + f(7) + " b"},
		{"a default stands for it", `role: {{ .r | default "endpoints" }}`, "role: endpoints" + strings.Repeat(" ", 21)},
		{"control prints nothing", "a: {{ if x }}b{{ else }}c{{ end }}", "a: " + strings.Repeat(" ", 10) + "b" + strings.Repeat(" ", 10) + "c" + strings.Repeat(" ", 9)},
		{"an action alone on its line is lines of its own", "a:\n  {{- toYaml . | nindent 2 }}\nb: 1", "a:\n" + strings.Repeat(" ", 29) + "\nb: 1"},
		{"a comment hides what is in it", "{{/*\nkind: Endpoints\n*/}}\na: 1", "    \n" + strings.Repeat(" ", 15) + "\n    \na: 1"},
		{"braces in a string end nothing", "a: {{ \"}}\" }}.", "a: " + f(5) + "."},
		{"Jinja's control and comments", "{% if x %}a: 1{# b #}", "          a: 1       "},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, string(Blank([]byte(tt.in)))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// FuzzBlankActions: taking template actions out moves nothing.
func FuzzBlankActions(f *testing.F) {
	f.Add("a: {{ .x | default \"endpoints\" }}\n{{- if y }}\nb: 1 {{/* c\nd */}}\n{{ end }}")
	f.Add("{{ `}}` }}{% raw %}{# x #}")
	f.Fuzz(func(t *testing.T, text string) {
		out := Blank([]byte(text))
		if len(out) != len(text) {
			t.Fatalf("%d bytes became %d", len(text), len(out))
		}
		for i := range out {
			if (text[i] == '\n') != (out[i] == '\n') {
				t.Fatalf("line end at %d moved", i)
			}
		}
	})
}
