package text_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/slicewright/slicewright/internal/text"
)

// row is a text and what a policy makes of it.
type row struct{ in, want string }

func check(t *testing.T, policy func(string) string, rows []row) {
	t.Helper()
	for _, r := range rows {
		if diff := cmp.Diff(r.want, policy(r.in)); diff != "" {
			t.Errorf("%q (-want +got)\n%s", r.in, diff)
		}
	}
}

func TestLine(t *testing.T) {
	check(t, text.Line, []row{
		{"", ""},
		{"shop/web 10.0.0.1:80", "shop/web 10.0.0.1:80"},
		{"Käse, 東京, e\u0301", "Käse, 東京, e\u0301"},
		{"a\x1b[2Jb", "a\uFFFD[2Jb"},
		{"one\ntwo\ttwo\r", "one\uFFFDtwo\uFFFDtwo\uFFFD"},
		{"\u009b2J", "\uFFFD2J"},
		{"\u202egpj\u2066", "\uFFFDgpj\uFFFD"},
		{"\u2028\u2029\u200b", "\uFFFD\uFFFD\uFFFD"},
		{"not\xffUTF-8", "not\uFFFDUTF-8"},
		{"no-break\u00a0space", "no-break\uFFFDspace"},
		{"\x00\x7f\U000e0041end", "\uFFFD\uFFFD\uFFFDend"},
	})
}

func TestPrintable(t *testing.T) {
	for in, want := range map[string]bool{
		"": true, "shop/web": true, "東 京": true, "\uFFFD": true,
		"a\nb": false, "a\u202eb": false, "a\xffb": false, "\x1b": false,
	} {
		if text.Printable(in) != want {
			t.Errorf("%q: %t", in, !want)
		}
	}
}

func TestCell(t *testing.T) {
	check(t, text.Cell, []row{{"", "-"}, {"a b", "a b"}, {"\t", "\uFFFD"}})
}

func TestExcerpt(t *testing.T) {
	check(t, func(s string) string { return text.Excerpt(s, 9) }, []row{
		{"", ""},
		{" \n ", ""},
		{"nine char", "nine char"},
		{"ten chars.", "ten chars…"},
		{"trailing  space", "trailing…"},
		{" one\n\n\ttwo\u00a0 ", "one two"},
		{"日本語日本語日本語", "日本語日本語日本語"},
		{"日本語日本語日本語日", "日本語日本語日本語…"},
		{"a\x1b[2J\u202e\xff", "a\uFFFD[2J\uFFFD\uFFFD"},
	})
	for most, want := range map[int]string{-1: "…", 0: "…", 1: "a…", 2: "ab…", 3: "abc"} {
		if got := text.Excerpt("abc", most); got != want {
			t.Errorf("at most %d characters: %q, want %q", most, got, want)
		}
	}
}

func TestQuote(t *testing.T) {
	check(t, text.Quote, []row{
		{"", `""`},
		{"web", `"web"`},
		{"a\n\x1b\u202e\"\\\xff", `"a\n\x1b\u202e\"\\\xff"`},
		{strings.Repeat("a", 80), `"` + strings.Repeat("a", 80) + `"`},
		{strings.Repeat("a", 81), `"` + strings.Repeat("a", 80) + `"…`},
		// Cut between characters, not in one.
		{strings.Repeat("a", 79) + "ü", `"` + strings.Repeat("a", 79) + `"…`},
	})
}

func TestCode(t *testing.T) {
	for in, want := range map[string][]string{
		"":                       {""},
		"a\n":                    {"a"},
		"-\ta\r\n+\tb\n\n":       {"-\ta", "+\tb"},
		"a\n\nb":                 {"a", "", "b"},
		"\x1b[2J\u202e\n\rb\xff": {"\uFFFD[2J\uFFFD", "\uFFFDb\uFFFD"},
	} {
		if diff := cmp.Diff(want, text.Code(in)); diff != "" {
			t.Errorf("%q (-want +got)\n%s", in, diff)
		}
	}
}

func TestMarkdown(t *testing.T) {
	check(t, text.Markdown, []row{
		{"", ""},
		{"10.0.0.1 and web-1, 3 of 4.", "10.0.0.1 and web-1, 3 of 4."},
		{"*a* _b_ `c` [d](e) #f", `\*a\* \_b\_ \` + "`c\\`" + ` \[d\](e) \#f`},
		{"a|b", `a\|b`},
		{"<img src=x>&amp;", `\<img src=x\>\&amp;`},
		{"https://x.example @team ~~no~~ $x$", `https\://x.example \@team \~\~no\~\~ \$x\$`},
		{"a\nb\u202e", "a\uFFFDb\uFFFD"},
	})
}

func TestClip(t *testing.T) {
	check(t, func(s string) string { return text.Clip(s, 4) }, []row{
		{"", ""},
		{"four", "four"},
		{"fives", "five…"},
		{"abcü", "abc…"},
		{"ab日", "ab…"},
		{"🙂a", "🙂…"},
		{"\x1b\xff\n\x00", "\x1b\xff\n\x00"},
		{"\xff\xff\xff\xff\xff", "\xff\xff\xff\xff…"},
	})
}

// Whatever the text, nothing of it acts on a terminal, breaks a line or is not UTF-8,
// and nothing becomes long without a bound.
func FuzzPolicies(f *testing.F) {
	for _, seed := range []string{"", "web", "a\x1b[31m\u202e\xff|\n", strings.Repeat("ü", 90), "\r\n\t\u00a0`"} {
		f.Add(seed, 7)
	}
	f.Fuzz(func(t *testing.T, in string, most int) {
		for name, out := range map[string]string{
			"Line": text.Line(in), "Cell": text.Cell(in), "Excerpt": text.Excerpt(in, most),
			"Quote": text.Quote(in), "Markdown": text.Markdown(in),
		} {
			if !text.Printable(out) {
				t.Errorf("%s(%q) = %q", name, in, out)
			}
			if len(out) > 1+4*len(in) && name != "Quote" {
				t.Errorf("%s makes %d bytes of %d", name, len(out), len(in))
			}
		}
		for _, line := range text.Code(in) {
			if !text.Printable(strings.ReplaceAll(line, "\t", "")) {
				t.Errorf("Code(%q) has %q", in, line)
			}
		}
		if n := utf8.RuneCountInString(text.Excerpt(in, most)); n > max(most, 0)+1 {
			t.Errorf("Excerpt(%q, %d) has %d characters", in, most, n)
		}
		// 80 bytes, each of them at most \xNN, or \u and more for several; the marks and "…".
		if n := len(text.Quote(in)); n > 80*4+5 {
			t.Errorf("Quote(%q) has %d bytes", in, n)
		}
		if 0 <= most && most < len(in) {
			if out, found := strings.CutSuffix(text.Clip(in, most), "…"); !found || len(out) > most || !strings.HasPrefix(in, out) {
				t.Errorf("Clip(%q, %d) is %q", in, most, out)
			}
		}
		if text.Printable(in) != (text.Line(in) == in) && !strings.ContainsRune(in, unicode.ReplacementChar) {
			t.Errorf("Printable and Line do not agree about %q", in)
		}
	})
}
