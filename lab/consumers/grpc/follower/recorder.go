package follower

import (
	"slices"
	"sync"

	"google.golang.org/grpc/resolver"
)

// Recorder is a resolver.Builder that builds another's resolvers and keeps what
// they hand to gRPC. It changes nothing of it.
type Recorder struct {
	resolver.Builder

	mu        sync.Mutex
	addresses []string // guarded by mu
	states    int      // guarded by mu
	problem   string   // guarded by mu
}

// Build implements resolver.Builder.
func (r *Recorder) Build(target resolver.Target, cc resolver.ClientConn, options resolver.BuildOptions) (resolver.Resolver, error) {
	return r.Builder.Build(target, &recordedConn{ClientConn: cc, recorder: r}, options)
}

// Addresses are those of the last state, in order and as the resolver wrote
// them; nil before the first. States is how many there were, and problem the
// error that the resolver reported since the last.
func (r *Recorder) Addresses() (addresses []string, states int, problem string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.addresses), r.states, r.problem
}

func (r *Recorder) record(addresses []string) {
	slices.Sort(addresses)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.addresses, r.problem = addresses, ""
	r.states++
}

// recordedConn is gRPC's side of a resolver.
type recordedConn struct {
	resolver.ClientConn
	recorder *Recorder
}

func (c *recordedConn) UpdateState(state resolver.State) error {
	addresses := []string{}
	for _, a := range state.Addresses {
		addresses = append(addresses, a.Addr)
	}
	for _, e := range state.Endpoints {
		for _, a := range e.Addresses {
			addresses = append(addresses, a.Addr)
		}
	}
	c.recorder.record(addresses)
	return c.ClientConn.UpdateState(state)
}

func (c *recordedConn) NewAddress(addresses []resolver.Address) {
	state := resolver.State{Addresses: addresses}
	// gRPC's own does the same; here it is seen.
	_ = c.UpdateState(state)
}

func (c *recordedConn) ReportError(err error) {
	c.recorder.mu.Lock()
	c.recorder.problem = err.Error()
	c.recorder.mu.Unlock()
	c.ClientConn.ReportError(err)
}
