package program

import "strings"

// clientVerb reports whether a name is a method of an official client for
// Endpoints, and its verb.
func clientVerb(name string) (verb string, ok bool) {
	if len(name) < len("readnamespacedendpoints") || len(name) > 80 {
		return "", false
	}
	s := strings.ToLower(strings.ReplaceAll(name, "_", ""))
	for _, m := range clients.Actions {
		rest, ok := strings.CutPrefix(s, m.Word)
		if !ok {
			continue
		}
		for object := range clients.Objects {
			if suffix, ok := strings.CutPrefix(rest, object); ok && clients.Suffixes[suffix] {
				return m.Verb, true
			}
		}
	}
	return "", false
}

// runtimeVerb reports whether a name with gaps, {} each, can become such a
// method. sure is false when the resource itself is in a gap: then the program
// may walk over anything.
func runtimeVerb(pattern string) (verb string, sure, ok bool) {
	if !strings.Contains(pattern, "{}") || strings.ContainsAny(pattern, " /.") {
		return "", false, false
	}
	lower := strings.ToLower(strings.ReplaceAll(pattern, "_", ""))
	if strings.HasSuffix(lower, "{}endpoints") || strings.HasPrefix(lower, "list{}") || strings.HasPrefix(lower, "read{}") {
		// list{}Endpoints, {}Endpoints: the gap is in the middle.
		for _, fill := range []string{"Namespaced", "NamespacedEndpoints", "listNamespaced"} {
			if v, ok := clientVerb(strings.Replace(pattern, "{}", fill, 1)); ok {
				return v, strings.Contains(lower, "endpoints"), true
			}
		}
	}
	if !strings.Contains(lower, "namespaced") && !strings.Contains(lower, "forallnamespaces") {
		return "", false, false
	}
	if v, ok := clientVerb(strings.Replace(pattern, "{}", "list", 1)); ok && !strings.Contains(v, "{}") {
		return v, true, true
	}
	for _, fill := range []string{"endpoints", "_endpoints", "s", "points"} {
		if v, ok := clientVerb(strings.Replace(pattern, "{}", fill, 1)); ok {
			return v, strings.Contains(lower, "endpoint"), true
		}
	}
	// Two gaps: {}_namespaced_{}.
	if strings.Count(pattern, "{}") == 2 {
		filled := strings.Replace(strings.Replace(pattern, "{}", "list", 1), "{}", "endpoints", 1)
		if _, ok := clientVerb(filled); ok {
			return "list", false, true
		}
	}
	return "", false, false
}
