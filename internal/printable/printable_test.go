package printable_test

import (
	"testing"

	"github.com/slicewright/slicewright/internal/printable"
)

func TestText(t *testing.T) {
	for in, want := range map[string]string{
		"":                      "",
		"shop/web 10.0.0.1:80":  "shop/web 10.0.0.1:80",
		"Käse, 東京, e\u0301":     "Käse, 東京, e\u0301",
		"a\x1b[2Jb":             "a\uFFFD[2Jb",
		"one\ntwo\ttwo\r":       "one\uFFFDtwo\uFFFDtwo\uFFFD",
		"\u009b2J":              "\uFFFD2J",
		"\u202egpj\u2066":       "\uFFFDgpj\uFFFD",
		"\u2028\u2029\u200b":    "\uFFFD\uFFFD\uFFFD",
		"not\xffUTF-8":          "not\uFFFDUTF-8",
		"no-break\u00a0space":   "no-break\uFFFDspace",
		"\x00\x7f\U000e0041end": "\uFFFD\uFFFD\uFFFDend",
	} {
		if got := printable.Text(in); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
}
