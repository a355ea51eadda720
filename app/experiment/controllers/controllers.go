package controllers

import (
	"fmt"
	"slices"
	"strings"
)

// The controllers that the experiment is about, by the names that
// kube-controller-manager gives them.
const (
	Endpoints              = "endpoints-controller"
	EndpointSlice          = "endpointslice-controller"
	EndpointSliceMirroring = "endpointslice-mirroring-controller"
)

// aliases are their older names, which kube-controller-manager still takes
// (the controllers' descriptors in k8s.io/kubernetes/cmd/kube-controller-manager/app).
var aliases = map[string]string{
	"endpoint":               Endpoints,
	"endpointslice":          EndpointSlice,
	"endpointslicemirroring": EndpointSliceMirroring,
}

// Default is what kube-controller-manager runs without the flag.
const Default = "*"

// SwitchOff returns a value of kube-controller-manager's --controllers in which
// the named controllers do not run, and everything else is as it was: "*" and
// endpoints-controller give "*,-endpoints-controller". "" means a flag that is
// not given, which is "*".
//
// The component goes by the first word on a controller, so one that the list
// turns on by name is taken out of it: after it, a "-" would say nothing. A list
// that is right already comes back as it is.
//
// It is an error if the list is not one that kube-controller-manager takes.
func SwitchOff(controllers string, names ...string) (string, error) {
	if controllers == "" {
		controllers = Default
	}
	words, err := parse(controllers)
	if err != nil {
		return "", err
	}
	for _, name := range names {
		if !runs(words, name) && slices.Contains(canonicals(words), "-"+name) {
			continue
		}
		words = slices.DeleteFunc(words, func(word string) bool { return strings.TrimPrefix(canonical(word), "-") == name })
		words = append(words, "-"+name)
	}
	return strings.Join(words, ","), nil
}

// Runs reports whether kube-controller-manager runs a controller, which must not
// be one of those that are off unless asked for, with this value of --controllers.
func Runs(controllers, name string) (bool, error) {
	if controllers == "" {
		controllers = Default
	}
	words, err := parse(controllers)
	if err != nil {
		return false, err
	}
	return runs(words, name), nil
}

// parse splits a list. Which names there are differs from version to version;
// how they are written does not.
func parse(controllers string) ([]string, error) {
	words := strings.Split(controllers, ",")
	for _, word := range words {
		name := strings.TrimPrefix(word, "-")
		wrong := func(r rune) bool { return r != '-' && (r < 'a' || r > 'z') && (r < '0' || r > '9') }
		if word != "*" && (name == "" || strings.ContainsFunc(name, wrong)) {
			return nil, fmt.Errorf(`--controllers=%q: %q is no controller: write "*", NAME or -NAME with commas between`, controllers, word)
		}
	}
	return words, nil
}

// runs goes by the first word on the controller, and by "*" without one.
func runs(words []string, name string) bool {
	for _, word := range canonicals(words) {
		switch word {
		case name:
			return true
		case "-" + name:
			return false
		}
	}
	return slices.Contains(words, "*")
}

func canonicals(words []string) []string {
	all := make([]string, len(words))
	for i, word := range words {
		all[i] = canonical(word)
	}
	return all
}

// canonical is a word with the newer of a controller's names.
func canonical(word string) string {
	name, off := strings.CutPrefix(word, "-")
	if newer, ok := aliases[name]; ok {
		name = newer
	}
	if off {
		return "-" + name
	}
	return name
}
