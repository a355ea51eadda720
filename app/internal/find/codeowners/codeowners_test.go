package codeowners

import (
	"os"
	"path/filepath"
	"testing"
)

func TestTheLastRuleThatMatchesNamesTheOwner(t *testing.T) {
	root := t.TempDir()
	for _, dir := range []string{".git", ".github", "services/sync"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	text := "# owners\n* @all\n*.yaml @platform # charts\n/services/sync/ @edge @net\ndocs/* @writers\n/services/sync/vendor/\n[Section]\n"
	if err := os.WriteFile(filepath.Join(root, ".github/CODEOWNERS"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cases := []struct{ dir, locator, want string }{
		{root, "main.go:41:9", "@all"},
		{root, "charts/x.yaml:3:1", "@platform"},
		{root, "charts/x.yaml (rendered)", "@platform"},
		{root, "services/sync/cmd/main.go:1:1", "@edge @net"},
		{root, "services/sync/vendor/a/b.go", ""},
		{root, "docs/a.md", "@writers"},
		{root, "docs/deep/a.md", "@all"},
		{filepath.Join(root, "services/sync"), "cmd/main.go:1:1", "@edge @net"},
	}
	for _, c := range cases {
		if got := Load(c.dir).Of(c.locator); got != c.want {
			t.Errorf("%s in %s: owner %q, want %q", c.locator, filepath.Base(c.dir), got, c.want)
		}
	}
	if got := Load(t.TempDir()).Of("main.go"); got != "" {
		t.Errorf("owner %q without a CODEOWNERS file", got)
	}
}

func FuzzPattern(f *testing.F) {
	f.Add("/a/**/b* @x\n*.go @y z")
	f.Fuzz(func(_ *testing.T, text string) {
		o := Owners{rules: parse([]byte(text))}
		_ = o.Of("a/b/c.go:1:2")
	})
}
