package kubectl

import "strings"

// Path is an API path that reads Endpoints.
type Path struct {
	// Start and End are the place of the path in the text.
	Start, End int
	// Verb is get for one object, list for many, watch for /watch/ and
	// ?watch=true.
	Verb      string
	Namespace string // "*" for all
	Name      string
	// Cluster says that no namespace is in the path. Many a program has a
	// /api/v1/endpoints of its own, so by itself that proves nothing.
	Cluster bool
}

const apiPrefix = "api/v1/"

// ParsePath finds /api/v1/…/endpoints in a URL or a piece of one. Segments may
// be placeholders of any kind: %s, {ns}, ${NS}, Unknown.
func ParsePath(s string) (Path, bool) {
	for from := 0; ; {
		i := strings.Index(s[from:], apiPrefix)
		if i < 0 {
			return Path{}, false
		}
		start := from + i
		from = start + len(apiPrefix)
		if start > 0 && isWord(s[start-1]) {
			continue
		}
		if p, ok := parseAPIPath(s[from:]); ok {
			p.Start, p.End = start, from+p.End
			if start > 0 && s[start-1] == '/' {
				p.Start--
			}
			return p, true
		}
	}
}

// parseAPIPath reads what follows /api/v1/.
func parseAPIPath(rest string) (Path, bool) {
	full := rest
	p := Path{Verb: "list", Namespace: "*", Cluster: true}
	if after, ok := strings.CutPrefix(rest, "watch/"); ok {
		p.Verb, rest = "watch", after
	}
	if after, ok := strings.CutPrefix(rest, "namespaces/"); ok {
		ns, tail, ok := cutSegment(after)
		if !ok {
			return p, false
		}
		p.Namespace, p.Cluster, rest = ns, false, tail
	}
	after, ok := strings.CutPrefix(rest, "endpoints")
	if !ok {
		return p, false
	}
	rest = after
	if name, ok := strings.CutPrefix(rest, "/"); ok {
		end := strings.IndexAny(name, "?# \t\n\"'")
		if end < 0 {
			end = len(name)
		}
		if strings.Contains(name[:end], "/") {
			return p, false // a subresource: none exists, so another API's path
		}
		p.Name, rest = name[:end], name[end:]
		if p.Name != "" && p.Cluster {
			return p, false // one object has a namespace: another API's path
		}
		if p.Name != "" && p.Verb == "list" {
			p.Verb = "get"
		}
	} else if rest != "" && isWord(rest[0]) {
		return p, false // endpointslices, endpoints-v2
	}
	p.End = len(full) - len(rest)
	if query, ok := strings.CutPrefix(rest, "?"); ok && (strings.Contains(query, "watch=true") || strings.Contains(query, "watch=1")) {
		p.Verb = "watch"
	}
	return p, true
}

// cutSegment splits at the slash that ends a segment, minding a placeholder
// such as ${NS:-a/b}.
func cutSegment(s string) (segment, rest string, ok bool) {
	depth := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '{', '(':
			depth++
		case '}', ')':
			depth--
		case '/':
			if depth <= 0 {
				return s[:i], s[i+1:], i > 0
			}
		case ' ', '\n', '\t':
			if depth <= 0 {
				return "", "", false
			}
		}
	}
	return "", "", false
}

func isWord(c byte) bool {
	return c == '_' || c == '-' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}
