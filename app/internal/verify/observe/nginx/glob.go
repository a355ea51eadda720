package nginx

import (
	"errors"
	"strings"
)

// likeGlob3 writes a pattern of glob(3), which nginx uses, as package filepath has
// it: [!a] becomes [^a]. Classes such as [[:digit:]] have no counterpart.
func likeGlob3(pattern string) (string, error) {
	out := []byte(pattern)
	inside := false
	for i := 0; i < len(out); i++ {
		switch c := out[i]; {
		case c == '\\':
			i++ // what follows means itself
		case inside && c == ']':
			inside = false
		case inside && c == '[' && i+1 < len(out) && strings.IndexByte(":.=", out[i+1]) >= 0:
			return "", errors.New("a class of characters in a pattern, which is not read: name the files or write the characters")
		case !inside && c == '[':
			inside = true
			if i+1 < len(out) && out[i+1] == '!' {
				out[i+1] = '^'
			}
		}
	}
	return string(out), nil
}

// hidden reports whether a pattern matched a name that it does not mean: as in
// a shell, the pattern must have a leading dot itself, also for folders.
func hidden(pattern, match string) bool {
	written := strings.Split(pattern, "/")
	for i, name := range strings.Split(match, "/") {
		if strings.HasPrefix(name, ".") && i < len(written) && !strings.HasPrefix(strings.TrimPrefix(written[i], `\`), ".") {
			return true
		}
	}
	return false
}
