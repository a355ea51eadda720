package verify

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Of one moment the last word counts, and what does not change is no step.
func TestTrack(t *testing.T) {
	var tr track[int]
	for _, s := range []struct {
		at    float64
		value int
	}{{1, 5}, {2, 5}, {3, 6}, {3, 7}, {4, 8}, {4, 7}} {
		tr.set(sec(s.at), s.value)
	}
	got := []int{}
	for _, s := range tr {
		got = append(got, int(s.at.Sub(zero).Seconds()), s.value)
	}
	if diff := cmp.Diff([]int{1, 5, 3, 7}, got); diff != "" {
		t.Errorf("steps (-want +got):\n%s", diff)
	}
	for at, want := range map[float64]int{0.5: 0, 1: 5, 2.5: 5, 3: 7, 9: 7} {
		if got := tr.at(sec(at)); got != want {
			t.Errorf("at %g it is %d, want %d", at, got, want)
		}
	}
	five := func(v int) bool { return v == 5 }
	if !tr.within(sec(2), sec(4), five) || tr.within(sec(3), sec(4), five) || !tr.within(sec(0), sec(1), five) || tr.within(sec(0), sec(0.5), five) {
		t.Error("what was within a time is wrong")
	}
}

func TestLeft(t *testing.T) {
	l := story(t, `
		0 slices a=active b=terminating
		5 slices a=terminating
		8 slices a=active
		9 slices`)
	for _, c := range []struct {
		who   string
		after float64
		want  float64
	}{{"a", 1, 5}, {"a", 6, 9}, {"a", 10, 0}, {"b", 0, 0}, {"c", 0, 0}, {"@a", 1, 5}} {
		got := l.Left(letter(t, c.who), sec(c.after))
		if got.IsZero() != (c.want == 0) || !got.IsZero() && !got.Equal(sec(c.want)) {
			t.Errorf("%s left after %g at %s, want %g", c.who, c.after, got, c.want)
		}
	}
}
