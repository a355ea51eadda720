package kubelet

import (
	"errors"
	"fmt"
	"net/netip"
	"sync"

	"github.com/slicewright/slicewright/lab/address"
)

// ErrPoolExhausted says that every address of a range is taken. It passes when
// a Pod goes.
var ErrPoolExhausted = errors.New("no free address")

// pool hands out addresses. It goes round its ranges, so that an address that
// was just given back is the last to be given out again. Every namespace begins
// at the beginning, so that what a script gets does not depend on those before.
type pool struct {
	mu    sync.Mutex
	taken map[netip.Addr]int    // holders of each address; guarded by mu
	next  map[cursor]netip.Addr // where to look first; guarded by mu
}

type cursor struct {
	namespace string
	ranged    address.Range
}

func newPool() *pool {
	return &pool{taken: map[netip.Addr]int{}, next: map[cursor]netip.Addr{}}
}

// take returns one address of each range. A range of a single address is given
// to every caller: two Pods that are told to share an address do so, as
// addresses are reused in real clusters.
func (p *pool) take(namespace string, ranges []address.Range) ([]netip.Addr, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var result []netip.Addr
	for _, r := range ranges {
		a, err := p.takeOne(cursor{namespace, r})
		if err != nil {
			for _, a := range result {
				p.releaseOne(a)
			}
			return nil, err
		}
		result = append(result, a)
	}
	return result, nil
}

func (p *pool) release(addresses []netip.Addr) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, a := range addresses {
		p.releaseOne(a)
	}
}

func (p *pool) takeOne(at cursor) (netip.Addr, error) {
	r := at.ranged
	if r.First == r.Last {
		p.taken[r.First]++
		return r.First, nil
	}
	start, ok := p.next[at]
	if !ok {
		start = r.First
	}
	a := start
	for tried := 0; tried < address.MaxRange; tried++ {
		after := a.Next()
		if !r.Contains(after) {
			after = r.First
		}
		if p.taken[a] == 0 {
			p.taken[a]++
			p.next[at] = after
			return a, nil
		}
		if a = after; a == start {
			break
		}
	}
	return netip.Addr{}, fmt.Errorf("%w in %s", ErrPoolExhausted, r)
}

func (p *pool) releaseOne(a netip.Addr) {
	if p.taken[a]--; p.taken[a] <= 0 {
		delete(p.taken, a)
	}
}
