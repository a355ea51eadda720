package conformance

import "testing"

func TestSetsAreWrittenAsTheyAreRead(t *testing.T) {
	b := block{number: 7}
	for _, text := range []string{"none", "1", "1-100", "1-3,5", "1-2,3@9090", "1-2,6:1-2", "4@80,6:4@80"} {
		set, err := b.set(text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if got := b.short(set); got != text {
			t.Errorf("%q came back as %q", text, got)
		}
	}
}

func TestSetIsInOrderAndEachOnce(t *testing.T) {
	b := block{number: 7}
	set, err := b.set("6:1,3,1-2,2")
	if err != nil {
		t.Fatal(err)
	}
	if got := b.short(set); got != "1-3,6:1" {
		t.Errorf("got %s", got)
	}
}

func TestSetIsOfItsBlock(t *testing.T) {
	set, err := block{number: 7}.set("3,6:4@9090")
	if err != nil {
		t.Fatal(err)
	}
	if got := set[0].String() + " " + set[1].String(); got != "10.42.7.3:8080 [fd42:7::4]:9090" {
		t.Errorf("got %s", got)
	}
	// What another scenario left behind must not look like ours.
	if got := (block{number: 8}).short(set); got != "10.42.7.3:8080,[fd42:7::4]:9090" {
		t.Errorf("in another block: %s", got)
	}
}

func TestSetRefusesWhatIsNone(t *testing.T) {
	for _, text := range []string{"", "0", "255", "5-3", "a", "1@x", "1@70000", "1-"} {
		if set, err := (block{}).set(text); err == nil {
			t.Errorf("%q was read as %v", text, set)
		}
	}
}
