package timeline_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slicewright/slicewright/app/internal/timeline"
	"github.com/slicewright/slicewright/app/internal/timeline/timelinetest"
)

func TestGapsEndOrLast(t *testing.T) {
	gap := func(resource, from, to string, lost bool) timeline.Gap {
		g := timeline.Gap{Resource: resource, From: timelinetest.At(from), Lost: lost}
		if to != "" {
			g.To = timelinetest.At(to)
		}
		return g
	}
	var gaps timeline.Gaps
	gaps.Add(gap("pods", "1s", "", false))           // begins
	gaps.Add(gap("endpointslices", "2s", "", false)) // begins, and nobody sees its end
	gaps.Add(gap("pods", "1s", "3s", false))         // ends: nothing was lost
	gaps.Add(gap("services", "4s", "5s", true))      // an import tells only the whole
	gaps.Add(gap("services", "6s", "", true))        // the recorder is killed in this one,
	gaps.Add(gap("services", "7s", "8s", true))      // and the next one tells of the rest
	want := []timeline.Gap{
		gap("pods", "1s", "3s", false), gap("endpointslices", "2s", "9s", true), gap("services", "4s", "5s", true),
		gap("services", "6s", "8s", true),
	}
	if diff := cmp.Diff(want, gaps.List(timelinetest.At("9s"))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
