package shadow

import (
	"net/netip"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/slicewright/slicewright/endpointset"
)

func at(seconds int) time.Time { return time.Unix(1000+int64(seconds), 0) }

func differing(addrs ...string) Comparison {
	var c Comparison
	for _, a := range addrs {
		c.Differences = append(c.Differences, Difference{ID: endpointset.ID{Addr: netip.MustParseAddr(a)}, Side: OnlySlice, Class: EndpointsBehind})
	}
	return c
}

func TestADifferenceDuringARolloutIsNone(t *testing.T) {
	s := Settle{Window: 5 * time.Second, Ceiling: time.Minute}
	if v := s.Now(at(0)); v.Judged {
		t.Error("judged before anything was seen")
	}
	s.Changed(at(0), differing("10.0.0.1")) // the slices change first
	if v := s.Now(at(4)); v.Judged || !v.Again.Equal(at(5)) {
		t.Errorf("after 4 s: %+v", v)
	}
	s.Changed(at(4), differing()) // the Endpoints follow
	if v := s.Now(at(8)); v.Judged || !v.Again.Equal(at(9)) {
		t.Errorf("4 s after the second change: %+v", v)
	}
	if v := s.Now(at(9)); !v.Judged || !v.Still || !v.Comparison.Equal() {
		t.Errorf("after the rollout: %+v", v)
	}
}

func TestADifferenceThatStaysIsOne(t *testing.T) {
	s := Settle{}
	s.Changed(at(0), differing("10.0.0.1"))
	if v := s.Now(at(5)); !v.Judged || !v.Still || v.Comparison.Equal() || !v.Again.IsZero() {
		t.Errorf("after 5 s: %+v", v)
	}
}

// A Service that changes every second is judged at the ceiling, by what has
// been there all the time.
func TestAServiceThatNeverRestsIsJudgedToo(t *testing.T) {
	s := Settle{Window: 5 * time.Second, Ceiling: 30 * time.Second}
	judged := 0
	for i := range 100 {
		c := differing("10.0.0.1") // lasts
		if i%2 == 0 {
			c = differing("10.0.0.1", "10.0.0.2") // comes and goes
		}
		s.Changed(at(i), c)
		v := s.Now(at(i))
		if !v.Judged {
			continue
		}
		judged++
		if d := v.Comparison.Differences; v.Still || len(d) != 1 || d[0].Addr.String() != "10.0.0.1" {
			t.Errorf("second %d: %+v", i, v)
		}
	}
	if judged != 3 {
		t.Errorf("judged %d times in 100 s, want every 30 s", judged)
	}
}

// Whatever happens, a verdict is never older than the ceiling, and a difference
// that a verdict names has been there for the window.
func TestVerdictsAreNeitherHastyNorLate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := Settle{Window: 5 * time.Second, Ceiling: 20 * time.Second}
		there := map[string]int{} // since which second
		waiting := -1             // since when there is something to judge
		last := -1
		for i := range 120 {
			if rapid.IntRange(0, 4).Draw(t, "change") == 0 {
				now := rapid.SliceOfDistinct(rapid.SampledFrom([]string{"10.0.0.1", "10.0.0.2", "10.0.0.3"}), rapid.ID).Draw(t, "differences")
				before := there
				there = map[string]int{}
				for _, a := range now {
					there[a] = i
					if since, ok := before[a]; ok {
						there[a] = since
					}
				}
				s.Changed(at(i), differing(now...))
				last = i
				if waiting < 0 {
					waiting = i
				}
			}
			v := s.Now(at(i))
			if v.Still != (last >= 0 && i-last >= 5) {
				t.Fatalf("second %d, last change %d: still is %t", i, last, v.Still)
			}
			if v.Judged {
				waiting = -1
				if !v.Still {
					waiting = i
				}
				for _, d := range v.Comparison.Differences {
					if i-there[d.Addr.String()] < 5 {
						t.Fatalf("second %d: %s is there since %d", i, d.Addr, there[d.Addr.String()])
					}
				}
			} else if waiting >= 0 && i-waiting > 20 {
				t.Fatalf("second %d: waiting since %d", i, waiting)
			}
		}
	})
}
