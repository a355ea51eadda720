package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// module writes a module with these files and makes it the working directory.
func module(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	files["go.mod"] = "module example.com/m\n\ngo 1.26\n"
	for name, content := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	t.Setenv("GOWORK", "off")
	t.Setenv("GOFLAGS", "")
	return dir
}

// swap runs the tool and returns what it prints.
func swap(t *testing.T, wantCode int, args ...string) string {
	t.Helper()
	var out, errOut bytes.Buffer
	if code := run(t.Context(), args, &out, &errOut); code != wantCode {
		t.Fatalf("exit code %d, not %d\n%s%s", code, wantCode, &out, &errOut)
	}
	return out.String()
}

// All kinds of operators, each in a function of which a test sees nothing.
const everyOperator = `package m

import (
	"fmt"
	"log"
	"time"
)

const limit = 2 + 3

type flag bool

func F(a, b int, c, d bool, names []string, text string) (out []string) {
	if a == b { out = append(out, "equal") }
	if a != b { out = append(out, "different") }
	if a < b { out = append(out, "less") }
	if a <= b { out = append(out, "at most") }
	if a > limit { out = append(out, "more") }
	if time.Duration(a) >= 7*time.Second { out = append(out, "at least") }
	if c && d { out = append(out, "both") }
	if c && d && a >= b && !c || a+b > 2 && b-a-1 < 3 { out = append(out, "many") }
	if c || d { out = append(out, "any") }
	if !c { out = append(out, "not") }
	if d { out = append(out, "d") }
	a = a + b
	a = a - 2
	a++
	b--
	a += b
	b -= 2
	text += "joined" + text
	for _, name := range names {
		if name == "skip" { continue }
		if name == "stop" { break }
		out = append(out, name)
	}
	log.Println(a == b)
	var named flag = flag(c) && flag(d)
	_ = make(map[string]int, a+b)
	return append(make([]string, 0, a+b), fmt.Sprint(a, b, named, true, text))
}

func G() (bool, error) {
	return false, fmt.Errorf("the other result is not read: %v", 1+1)
}
`

func TestEverySwapOfAFunctionThatNobodyTestsSurvives(t *testing.T) {
	module(t, map[string]string{"m.go": everyOperator, "m_test.go": "package m\n\nimport \"testing\"\n\nfunc TestNothing(*testing.T) {}\n"})
	var got []string
	for _, line := range strings.Split(swap(t, 3, "."), "\n") {
		if at, what, ok := strings.Cut(line, ": "); ok && strings.HasPrefix(at, "m.go:") {
			got = append(got, what)
		}
	}
	want := []string{
		"!= instead of ==", "== instead of !=", ">= instead of <", "> instead of <=", "<= instead of >", "< instead of >=",
		"|| instead of &&",
		"&& instead of ||", "|| instead of &&", "|| instead of &&", "|| instead of &&", "< instead of >=", "nothing instead of !",
		"|| instead of &&", "<= instead of >", "- instead of +", ">= instead of <", "+ instead of -", "+ instead of -",
		"&& instead of ||", "nothing instead of !", "! instead of nothing",
		"- instead of +", "+ instead of -", "-- instead of ++", "++ instead of --", "-= instead of +=", "+= instead of -=",
		"!= instead of ==", "break instead of continue", "!= instead of ==", "continue instead of break",
		"|| instead of &&", "false instead of true",
	}
	if g, w := strings.Join(got, "\n"), strings.Join(want, "\n"); g != w {
		t.Errorf("survived:\n%s\n\nwant:\n%s", g, w)
	}
}

// Each swap does to the function what the operator in its place would do.
func TestASwapMeansWhatItSays(t *testing.T) {
	for _, c := range []struct{ code, swapped string }{
		{"a == b", "a != b"},
		{"a != b", "a == b"},
		{"a < b", "a >= b"},
		{"a <= b", "a > b"},
		{"a > b", "a <= b"},
		{"a >= b", "a < b"},
		{"a < b", "a <= b"},
		{"a <= b", "a < b"},
		{"a > b", "a >= b"},
		{"a >= b", "a > b"},
		{"a < b && note(&calls, b < 2)", "a < b || note(&calls, b < 2)"},
		{"a < b || note(&calls, b < 2)", "a < b && note(&calls, b < 2)"},
		{"!(a < b)", "(a < b)"},
		{"a+b == 2", "a-b == 2"},
		{"a-b == 1", "a+b == 1"},
		{"true", "false"},
		{"false", "true"},
		{"loop(a)", "!loop(a)"},
	} {
		t.Run(c.code, func(t *testing.T) {
			const frame = `package m

func note(calls *int, answer bool) bool { *calls++; return answer } //mutate:same not what is tried

func loop(a int) bool { return a == 1 } //mutate:same not what is tried

func %NAME%(a, b int) (answer bool, calls int) {
	if %CODE% {
		return true, calls //mutate:same not what is tried
	}
	return false, calls //mutate:same not what is tried
}
`
			file := func(name, code string) string {
				return strings.NewReplacer("%NAME%", name, "%CODE%", code).Replace(frame)
			}
			// The test fails unless the two agree: it has to fail without a swap, and
			// to pass with the first.
			other := file("want", c.swapped)
			other = other[strings.Index(other, "func want"):]
			test := `package m

import (
	"os"
	"testing"
)

func TestBoth(t *testing.T) {
	same := true
	for a := range 4 {
		for b := range 4 {
			x, n := got(a, b)
			y, m := want(a, b)
			same = same && x == y && n == m
		}
	}
	if os.Getenv("` + placeVariable + `") == "" {
		if same { t.Fatal("they mean the same") }
		return
	}
	if !same { t.Fatal("they differ") }
}
`
			module(t, map[string]string{"m.go": file("got", c.code), "m_test.go": test + other})
			args := []string{"."}
			if slices.Contains([]string{"a < b a <= b", "a <= b a < b", "a > b a >= b", "a >= b a > b"}, c.code+" "+c.swapped) {
				args = []string{"-borders", "."}
			}
			printed := swap(t, 3, args...)
			if !strings.Contains(printed, "m.go:8:") {
				t.Errorf("no swap did what %q does:\n%s", c.swapped, printed)
			}
		})
	}
}

func TestNothingSurvivesWhereTestsLook(t *testing.T) {
	module(t, map[string]string{
		"m.go": `package m

func Max(a, b int) int {
	if a > b { //mutate:same equal numbers are each the largest
		return a
	}
	return b
}

func Sum(all []int) (sum int) {
	for i := 0; i < len(all); i++ {
		sum += all[i]
	}
	return sum
}
`,
		"m_test.go": `package m

import "testing"

func TestSum(t *testing.T) {
	if Sum([]int{1, 2}) != 3 {
		t.Fatal("wrong")
	}
}
`,
	})
	want := "TRIED  NOTICED  SURVIVED  PACKAGE\n3      3        0         example.com/m\n3      3        0         total\n"
	if got := swap(t, 0, "."); got != want {
		t.Errorf("printed\n%s\nwant\n%s", got, want)
	}
}

func TestAPackageWithoutTestsIsTestedByItsImporters(t *testing.T) {
	dir := module(t, map[string]string{
		"inner/inner.go": "package inner\n\nfunc Is(a int) bool { return a == 1 }\n",
		"outer/outer.go": "package outer\n\nimport \"example.com/m/inner\"\n\nfunc Is(a int) bool { return inner.Is(a) }\n",
		"outer/outer_test.go": `package outer

import "testing"

func TestIs(t *testing.T) {
	if !Is(1) {
		t.Fatal("wrong")
	}
}
`,
	})
	swap(t, 0, "./inner")
	if err := os.Remove(filepath.Join(dir, "outer/outer_test.go")); err != nil {
		t.Fatal(err)
	}
	if got := swap(t, 3, "./inner"); !strings.Contains(got, "inner/inner.go:3:32: != instead of ==") {
		t.Errorf("nobody tests it, and it prints\n%s", got)
	}
}

func TestAPackageAboveTestsItsRooms(t *testing.T) {
	module(t, map[string]string{
		"outer/inner/inner.go":      "package inner\n\nfunc Is(a int) bool { return a == 1 }\n",
		"outer/inner/inner_test.go": "package inner\n\nimport \"testing\"\n\nfunc TestNothing(*testing.T) {}\n",
		"outer/outer.go":            "package outer\n\nimport \"example.com/m/outer/inner\"\n\nfunc Is(a int) bool { return inner.Is(a) }\n",
		"outer/outer_test.go":       "package outer\n\nimport \"testing\"\n\nfunc TestIs(t *testing.T) {\n\tif !Is(1) {\n\t\tt.Fatal(\"wrong\")\n\t}\n}\n",
		"beside/beside.go":          "package beside\n\nimport \"example.com/m/outer/inner\"\n\nvar Is = inner.Is\n",
		"beside/beside_test.go":     "package beside\n\nimport \"testing\"\n\nfunc TestRed(t *testing.T) { t.Fatal(\"not asked\") }\n",
	})
	swap(t, 0, "./outer/inner")
}

func TestASeedChoosesTheSamePlacesAgain(t *testing.T) {
	module(t, map[string]string{"m.go": everyOperator, "m_test.go": "package m\n\nimport \"testing\"\n\nfunc TestNothing(*testing.T) {}\n"})
	first, again := swap(t, 3, "-n", "3", "-seed", "5", "."), swap(t, 3, "-n", "3", "-seed", "5", ".")
	if first != again || strings.Count(first, " instead of ") != 3 {
		t.Errorf("first\n%s\nagain\n%s", first, again)
	}
}

func TestMistakesAreNotFindings(t *testing.T) {
	module(t, map[string]string{
		"m.go":            "package m\n\nfunc Is(a int) bool { return a == 1 }\n",
		"m_test.go":       "package m\n\nimport \"testing\"\n\nfunc TestRed(t *testing.T) { t.Fatal(\"red\") }\n",
		"mark/mark.go":    "package mark\n\nfunc Is(a int) bool { return a == 1 } //mutate:same\n",
		"broken/wrong.go": "package broken\n\nfunc Is(a int) bool { return b }\n",
	})
	for _, c := range []struct {
		code int
		args []string
	}{
		{2, nil},
		{2, []string{"-n", "-1", "."}},
		{2, []string{"-j", "0", "."}},
		{2, []string{"-nonsense", "."}},
		{1, []string{"."}},        // its tests fail without a swap
		{1, []string{"./mark"}},   // a reason is missing
		{1, []string{"./broken"}}, // it does not compile
		{1, []string{"./nowhere"}},
	} {
		swap(t, c.code, c.args...)
	}
}
