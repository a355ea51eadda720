package verify

import "testing"

// Another part can make it worse, and says all where there was no other.
func TestAnotherPart(t *testing.T) {
	for _, c := range []struct {
		name      string
		parts     int
		was, part Outcome
		want      Outcome
	}{
		{"a finding", 1, Equal, Different, Different},
		{"a finding beside what is unknown", 1, Undetermined, Different, Different},
		{"something unknown", 1, Equal, Undetermined, Undetermined},
		{"something unknown beside a finding", 1, Different, Undetermined, Different},
		{"nothing new", 1, Equal, Equal, Equal},
		{"something equal beside what is unknown", 1, Undetermined, Equal, Undetermined},
		{"the only part", 0, Undetermined, Equal, Equal},
	} {
		r := &Report{Outcome: c.was, Consumers: make([]ConsumerReport, c.parts)}
		r.Add("part", c.part, "reason")
		if r.Outcome != c.want {
			t.Errorf("%s: %s, want %s", c.name, r.Outcome, c.want)
		}
	}
}

// A consumer that has not answered yet was asked all the same.
func TestNoAnswerYet(t *testing.T) {
	r := story(t, "0 slices a=active").Report(sec(1))
	if c := r.Consumers[0]; c.Outcome != Undetermined || c.Reason != "it did not say what it has: no answer had come by the end" {
		t.Errorf("%s: %s", c.Outcome, c.Reason)
	}
}
