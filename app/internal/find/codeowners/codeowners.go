// Package codeowners proposes owners for findings in source from the CODEOWNERS
// file of the repository that they are in.
package codeowners

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/slicewright/slicewright/app/internal/find/evidence"
)

// Owners answers who owns a file. The zero value knows nobody.
type Owners struct {
	rules []rule
	// prefix is the searched directory's place in the repository.
	prefix string
}

type rule struct {
	match  *regexp.Regexp
	owners string
}

// maxFile is the size to which GitHub reads a CODEOWNERS file.
const maxFile = 3 << 20

// Load finds the CODEOWNERS file of dir: in dir or a parent of it, up to the
// root of the repository. Without one it returns Owners that know nobody.
func Load(dir string) Owners {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return Owners{}
	}
	for root := abs; ; root = filepath.Dir(root) {
		for _, place := range []string{".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS", ".gitlab/CODEOWNERS"} {
			f, err := os.Open(filepath.Join(root, place))
			if err != nil {
				continue
			}
			b, err := io.ReadAll(io.LimitReader(f, maxFile))
			f.Close()
			if err != nil {
				continue
			}
			prefix, _ := filepath.Rel(root, abs)
			return Owners{rules: parse(b), prefix: filepath.ToSlash(prefix)}
		}
		if _, err := os.Stat(filepath.Join(root, ".git")); err == nil || root == filepath.Dir(root) {
			return Owners{}
		}
	}
}

// Of returns the owners of a file, given relative to the searched directory and
// perhaps with ":line:column" behind it; "" if nobody owns it.
func (o Owners) Of(locator string) string {
	name := strings.TrimSuffix(locator, evidence.Rendered)
	for range 2 {
		if i := strings.LastIndexByte(name, ':'); i > 0 && strings.Trim(name[i+1:], "0123456789") == "" {
			name = name[:i]
		}
	}
	name = path.Join(o.prefix, filepath.ToSlash(name))
	// The last rule that matches decides, also if it names nobody.
	for i := len(o.rules) - 1; i >= 0; i-- {
		if o.rules[i].match.MatchString(name) {
			return o.rules[i].owners
		}
	}
	return ""
}

func parse(b []byte) []rule {
	var rules []rule
	lines := bufio.NewScanner(bytes.NewReader(b))
	for lines.Scan() {
		line, _, _ := strings.Cut(lines.Text(), " #")
		fields := strings.Fields(line)
		// GitLab's section headers and GitHub's comments are no rules.
		if len(fields) == 0 || strings.HasPrefix(fields[0], "#") || strings.HasPrefix(fields[0], "[") || strings.HasPrefix(fields[0], "^[") {
			continue
		}
		if re, err := regexp.Compile(pattern(fields[0])); err == nil {
			rules = append(rules, rule{re, strings.Join(fields[1:], " ")})
		}
	}
	return rules
}

// pattern translates gitignore's pattern language as far as CODEOWNERS has it.
func pattern(p string) string {
	anchored := strings.Contains(strings.TrimSuffix(p, "/"), "/")
	dir := strings.HasSuffix(p, "/")
	p = strings.Trim(p, "/")
	var b strings.Builder
	b.WriteString("^")
	if !anchored {
		b.WriteString("(?:.*/)?")
	}
	for i := 0; i < len(p); i++ {
		switch {
		case strings.HasPrefix(p[i:], "**/"):
			b.WriteString("(?:.*/)?")
			i += 2
		case strings.HasPrefix(p[i:], "**"):
			b.WriteString(".*")
			i++
		case p[i] == '*':
			b.WriteString("[^/]*")
		case p[i] == '?':
			b.WriteString("[^/]")
		default:
			b.WriteString(regexp.QuoteMeta(p[i : i+1]))
		}
	}
	switch {
	case dir:
		b.WriteString("/.*$")
	case strings.HasSuffix(p, "*"):
		b.WriteString("$") // docs/* owns files in docs and not those below
	default:
		b.WriteString("(?:/.*)?$")
	}
	return b.String()
}
