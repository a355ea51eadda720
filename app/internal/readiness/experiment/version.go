package experiment

import (
	"slices"
	"strings"

	"github.com/slicewright/slicewright/app/experiment/controllers"
)

// canonicalNames is the minor version since which kube-controller-manager knows
// its controllers by their names of today. Before, it ends on one of these, since
// it knows no such controller
// (https://github.com/kubernetes/kubernetes/pull/115813).
const canonicalNames = 28

// switchOff is the value with which the Endpoints controller does not run, in the
// words of a minor version; 0 is one of today. One with which it does not run
// anyway comes back as it is.
func switchOff(list string, minor int) (string, error) {
	if on, err := controllers.Runs(list, controllers.Endpoints); err != nil || !on {
		return list, err
	}
	to, err := controllers.SwitchOff(list, controllers.Endpoints)
	if err != nil || minor == 0 || minor >= canonicalNames {
		return to, err
	}
	words := strings.Split(to, ",")
	words[slices.Index(words, "-"+controllers.Endpoints)] = "-endpoint"
	return strings.Join(words, ","), nil
}
