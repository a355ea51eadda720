// Package options reads what follows the question mark in a spec.
package options

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// Split cuts rest at its first question mark and parses what follows as
// "name=value&name=value". Names other than known ones, and names that come
// twice, are errors. A name that is not there has the value "".
func Split(rest string, known ...string) (head string, values map[string]string, err error) {
	head, query, _ := strings.Cut(rest, "?")
	parsed, err := url.ParseQuery(query)
	if err != nil {
		return "", nil, errors.New("what follows the question mark is not name=value&name=value")
	}
	values = make(map[string]string, len(parsed))
	for name, all := range parsed {
		switch {
		case !slices.Contains(known, name):
			return "", nil, fmt.Errorf("option %q is not known (%s)", name, strings.Join(known, ", "))
		case len(all) > 1:
			return "", nil, fmt.Errorf("option %s comes twice", name)
		}
		values[name] = all[0]
	}
	return head, values, nil
}
