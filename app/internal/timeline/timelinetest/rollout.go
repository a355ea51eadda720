package timelinetest

import (
	_ "embed"

	"github.com/slicewright/slicewright/app/internal/timeline"
)

//go:embed rollout.txt
var rollout string

// Rollout is a minute in which much goes wrong, for the tests that need one of
// everything.
func Rollout() []timeline.Event { return MustParse(rollout) }
