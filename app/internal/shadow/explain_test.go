package shadow

import (
	"os"
	"strings"
	"testing"
)

// The documentation explains every class, in the words that pages show.
func TestEveryClassIsExplained(t *testing.T) {
	text, err := os.ReadFile("../../../docs/shadow.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range Classes() {
		e := c.Explain()
		row := "| `" + string(c) + "` | " + e.What + " |"
		if !c.Expected() {
			row += " " + e.Do + " |"
		}
		if e.What == "" || (e.Do == "") != c.Expected() || !strings.Contains(string(text), "\n"+row+"\n") {
			t.Errorf("docs/shadow.md has no row\n%s", row)
		}
	}
	if Class("none").Explain() != (Explanation{}) {
		t.Error("what is no class is explained")
	}
}
