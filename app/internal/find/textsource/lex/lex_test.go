package lex

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// render writes tokens so that a test can be read: names as they are, strings
// in quotes, statements' ends as |.
func render(tokens []Token) string {
	var out []string
	for _, t := range tokens {
		switch t.Kind {
		case String:
			out = append(out, `"`+strings.ReplaceAll(t.Value(), "\n", `\n`)+`"`)
		case Newline:
			out = append(out, "|")
		default:
			out = append(out, t.Text)
		}
	}
	return strings.Join(out, " ")
}

func TestTokens(t *testing.T) {
	tests := []struct {
		name string
		lang Language
		src  string
		want string
	}{
		{"a Python comment is no code", Python, "a.b() # c.d()\n", `a . b ( ) |`},
		{"a hash in a Python string is no comment", Python, `a("#", b)`, `a ( "#" , b )`},
		{"a docstring documents", Python, "def f():\n  \"\"\"calls g()\"\"\"\n  h()\n", `def f ( ) : | | h ( ) |`},
		{"a string that is passed is none", Python, "f(\"\"\"text\"\"\")\n", `f ( "text" ) |`},
		{"newlines in brackets end nothing", Python, "f(a,\n  b)\n", `f ( a , b ) |`},
		{"a backslash goes on", Python, "a = \\\n  b\n", `a = b |`},
		{"prefixes in any order", Python, `rb"a\" + Fr'{x}b'`, `"a\" + "{}b"`},
		{"a doubled brace is a brace", Python, `g(f"{{a}}")`, `g ( "{a}" )`},
		{"C comments in Java", Java, "a /* b\n c */ . d // e", `a . d`},
		{"a Java text block", Java, "\"\"\"\n a \"b\"\n\"\"\"", `"\n a "b"\n"`},
		{"Kotlin comments nest", Kotlin, "a /* b /* c */ d */ e", `a e`},
		{"Kotlin templates", Kotlin, `"/x/$ns/${a.b()}/y"`, `"/x/{}/{}/y"`},
		{"a template literal", JavaScript, "`a/${b(`c`)}/d`", `"a/{}/d"`},
		{"a regular expression hides its quote", JavaScript, `a = /it's/.test(b)`, `a = . test ( b )`},
		{"a division is none", JavaScript, `a / b / "c"`, `a / b / "c"`},
		{"an apostrophe in text opens nothing", JavaScript, "<p>don't</p>\nf('x')", `< p > don ' t < / p > f ( "x" )`},
		{"Rust lifetimes and characters", Rust, `fn f<'a>(c: &'a str) { g('"', '\n', "x") }`, `fn f < a > ( c : & a str ) { g ( , , "x" ) }`},
		{"Rust raw strings", Rust, `r#"a "b""# c`, `"a "b"" c`},
		{"C# verbatim", CSharp, `@"a\" + "b"`, `"a\" + "b"`},
		{"C# interpolated", CSharp, `$"/x/{ns}/y"`, `"/x/{}/y"`},
		{"C# raw", CSharp, `"""a "b" c"""`, `"a "b" c"`},
		{"HCL dashes and heredocs", HCL, "x-y = <<-EOT\n  kind: A\n  EOT\nb = 1\n", `x-y = "  kind: A\n" | b = 1 |`},
		{"jsonnet text blocks", Jsonnet, "{ a: |||\n  x\n||| }", `{ a : "  x\n" }`},
		{"an unclosed string is kept", Rust, `f("abc`, `f ( "abc"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, render(Tokens([]byte(tt.src), tt.lang))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestAnExpressionInAStringIsReadAsCode(t *testing.T) {
	tokens := Tokens([]byte(`x = f"a{v1.read(n)}"`), Python)
	var inner string
	for _, tok := range tokens {
		for _, p := range tok.Parts {
			if p.Expr != nil {
				inner = render(p.Expr)
			}
		}
	}
	if inner != "v1 . read ( n )" {
		t.Errorf("inner tokens = %q", inner)
	}
}

// Hostile input must cost what its length costs. The bound is wide: what it
// catches is quadratic work, which would take hours here.
func TestHostileInputTakesLinearTime(t *testing.T) {
	for _, piece := range []string{`\'`, `=/[`, `f"{`, "`${", "<<A\n", "{", `'''`, "/*", `"{"`, `$"`} {
		src := []byte(strings.Repeat(piece, 50_000))
		for _, lang := range all {
			start := time.Now()
			Tokens(src, lang)
			if took := time.Since(start); took > 20*time.Second {
				t.Errorf("%s: %q repeated took %v", lang.Name, piece, took)
			}
		}
	}
}

var all = []Language{Python, Java, Kotlin, Groovy, JavaScript, Jsonnet, Rust, CSharp, HCL}

func FuzzTokens(f *testing.F) {
	f.Add(`f"{a!r:>{w}}" # x`, uint8(0))
	f.Add("`${`${a}`}`", uint8(4))
	f.Add(`r##"x"#"## 'a' b'\x00'`, uint8(6))
	f.Add("<<-EOF\nx\nEOF", uint8(8))
	f.Fuzz(func(t *testing.T, src string, n uint8) {
		last := 0
		for _, tok := range Tokens([]byte(src), all[int(n)%len(all)]) {
			if tok.Start < last || tok.End < tok.Start || tok.End > len(src) {
				t.Fatalf("token %+v out of order or out of bounds (after %d, of %d)", tok, last, len(src))
			}
			last = tok.End
			if tok.Kind == String && tok.Raw && len(tok.Parts) > 0 {
				v := tok.Value()
				if tok.Body+len(v) > len(src) || src[tok.Body:tok.Body+len(v)] != v {
					t.Fatalf("raw string %q does not stand at %d", v, tok.Body)
				}
			}
		}
	})
}
