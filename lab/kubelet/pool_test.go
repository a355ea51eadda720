package kubelet

import (
	"errors"
	"net/netip"
	"testing"

	"github.com/slicewright/slicewright/lab/address"
)

func ranges(t *testing.T, text string) []address.Range {
	t.Helper()
	r, err := address.ParseRanges(text)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func take(t *testing.T, p *pool, namespace, text string) netip.Addr {
	t.Helper()
	got, err := p.take(namespace, ranges(t, text))
	if err != nil {
		t.Fatal(err)
	}
	return got[0]
}

func TestAddressJustGivenBackIsTheLastToComeAgain(t *testing.T) {
	p := newPool()
	const of = "10.0.0.1-10.0.0.3"
	first := take(t, p, "a", of)
	p.release([]netip.Addr{first})
	for _, want := range []string{"10.0.0.2", "10.0.0.3", "10.0.0.1"} {
		if got := take(t, p, "a", of); got.String() != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	if _, err := p.take("a", ranges(t, of)); !errors.Is(err, ErrPoolExhausted) {
		t.Errorf("a fourth address of three: %v", err)
	}
}

func TestEveryNamespaceBeginsAtTheBeginningOfARange(t *testing.T) {
	p := newPool()
	const of = "10.0.0.1-10.0.0.9"
	p.release([]netip.Addr{take(t, p, "a", of)})
	if got := take(t, p, "b", of); got.String() != "10.0.0.1" {
		t.Errorf("namespace b got %s first", got)
	}
	// Not one that is taken, though.
	if got := take(t, p, "c", of); got.String() != "10.0.0.2" {
		t.Errorf("namespace c got %s beside b", got)
	}
}

func TestOneAddressCanBeGivenToTwo(t *testing.T) {
	p := newPool()
	a, b := take(t, p, "a", "10.0.0.1"), take(t, p, "a", "10.0.0.1")
	if a != b {
		t.Errorf("%s and %s", a, b)
	}
	p.release([]netip.Addr{a})
	if got := take(t, p, "a", "10.0.0.1-10.0.0.2"); got.String() != "10.0.0.2" {
		t.Errorf("%s is given out while somebody holds it", got)
	}
}

func TestNoFamilyIsTakenWhereTheOtherIsExhausted(t *testing.T) {
	p := newPool()
	take(t, p, "a", "fd00::1-fd00::2")
	take(t, p, "a", "fd00::1-fd00::2")
	if _, err := p.take("a", ranges(t, "10.0.0.1-10.0.0.2,fd00::1-fd00::2")); !errors.Is(err, ErrPoolExhausted) {
		t.Fatalf("no error: %v", err)
	}
	if len(p.taken) != 2 {
		t.Errorf("taken: %v", p.taken)
	}
}
