package conformance

import (
	"context"
	"math/rand/v2"
	"net/netip"
	"sync"
	"testing"

	"github.com/slicewright/slicewright/app/observe"
)

// balancer answers as the backends of its set, in turn or at random; those in
// dead fail.
type balancer struct {
	backends []netip.AddrPort
	dead     map[netip.AddrPort]bool
	random   *rand.Rand

	mu    sync.Mutex
	asked int
}

func (b *balancer) String() string { return "a balancer" }

func (b *balancer) Probe(context.Context) observe.Answer {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.asked++
	if len(b.backends) == 0 {
		return observe.Answer{Failure: observe.Refused}
	}
	n := b.asked % len(b.backends)
	if b.random != nil {
		n = b.random.IntN(len(b.backends))
	}
	if b.dead[b.backends[n]] {
		return observe.Answer{Failure: observe.Status, Detail: "503"}
	}
	return observe.Answer{From: b.backends[n]}
}

func TestAskSeesWhoAnswers(t *testing.T) {
	block := block{number: 1}
	for _, test := range []struct{ name, has, want string }{
		{"as wanted", "1-3", "1-3"},
		{"one too many", "1-4", "1-3"},
		{"one too few", "1-2", "1-3"},
		{"none, as wanted", "none", "none"},
		{"none, though some are wanted", "none", "1"},
		{"some, though none is wanted", "1", "none"},
		{"a hundred", "1-100", "1-100"},
		{"one of a hundred too many", "1-101", "1-100"},
		{"one of a hundred missing", "1-100", "1-101"},
		{"another port", "1@9090", "1"},
	} {
		for _, seed := range []uint64{0, 1, 2, 3} {
			has, err1 := block.set(test.has)
			want, err2 := block.set(test.want)
			if err1 != nil || err2 != nil {
				t.Fatal(err1, err2)
			}
			b := &balancer{backends: has}
			if seed > 0 {
				b.random = rand.New(rand.NewPCG(seed, seed))
			}
			got := ask(t.Context(), b, want, true)
			if block.short(got.seen) != test.has || got.requests != b.asked {
				t.Errorf("%s, seed %d: saw %s of %s in %d requests", test.name, seed, block.short(got.seen), test.has, got.requests)
			}
			if got.requests > 16*(len(has)+len(want)+12) {
				t.Errorf("%s, seed %d: %d requests", test.name, seed, got.requests)
			}
			// In a hurry it may see less, and never judges otherwise.
			hasty := ask(t.Context(), b, want, false)
			if matches(want, hasty.seen) != (test.has == test.want) {
				t.Errorf("%s, seed %d, in a hurry: %s", test.name, seed, block.short(hasty.seen))
			}
		}
	}
}

func TestAskCountsFailures(t *testing.T) {
	set, err := block{number: 1}.set("1-2")
	if err != nil {
		t.Fatal(err)
	}
	b := &balancer{backends: set, dead: map[netip.AddrPort]bool{set[1]: true}}
	got := ask(t.Context(), b, set[:1], true)
	if got.failed == 0 || got.failures["status 503"] != got.failed {
		t.Errorf("got %+v", got)
	}
}

// Once everybody wanted has answered it goes on for a while: an address
// outside the set that gets one connection in twenty is seen, even by a short
// look.
func TestAskLooksForStrangers(t *testing.T) {
	set, err := block{number: 1}.set("1-2")
	if err != nil {
		t.Fatal(err)
	}
	for _, thorough := range []bool{true, false} {
		b := &balancer{}
		for range 20 {
			b.backends = append(b.backends, set[0])
		}
		b.backends = append(b.backends, set[1])
		if got := ask(t.Context(), b, set[:1], thorough); len(got.seen) != 2 {
			t.Errorf("thorough %v: saw %v in %d requests", thorough, got.seen, got.requests)
		}
	}
}
