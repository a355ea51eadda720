package watch

import (
	"fmt"
	"log/slog"

	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"github.com/slicewright/slicewright/endpointset"
	"github.com/slicewright/slicewright/internal/follow"
)

// A source is the watch of one namespace. The store that it follows into is the
// index itself.
type source struct {
	watcher   *Watcher
	namespace string
	logger    *slog.Logger
	follower  *follow.Follower
	// last is what the follower told last; only its calls use it.
	last follow.Health
}

var _ follow.Store = (*source)(nil)

func newSource(w *Watcher, namespace string, calls follow.Calls, client any) *source {
	name := namespace
	if name == "" {
		name = "(all)"
	}
	s := &source{watcher: w, namespace: namespace, logger: w.options.Logger.With("namespace", name)}
	s.follower = follow.New(follow.Options{
		Name: "endpointslices/" + namespace, Type: &discoveryv1.EndpointSlice{}, Description: "EndpointSlice",
		Calls: calls, Client: client, Store: s, Transform: Transform(w.index),
		Silence: w.options.Silence, GiveUp: closeIdle(client),
		Changed: s.changed, Logger: w.options.Logger,
	})
	return s
}

// closeIdle returns what closes the connections of a client that are not in use;
// nil for a client that has no connections of its own, such as a fake.
func closeIdle(client any) func() {
	connected, ok := client.(interface{ RESTClient() rest.Interface })
	if !ok {
		return nil
	}
	return func() {
		if c, ok := connected.RESTClient().(*rest.RESTClient); ok && c != nil && c.Client != nil {
			utilnet.CloseIdleConnectionsFor(c.Client.Transport)
		}
	}
}

// changed opens the gate and tells of health.
func (s *source) changed(h follow.Health) {
	last := s.last
	s.last = h
	switch {
	case h.Degraded && !last.Degraded:
		s.logger.Warn("cannot read EndpointSlices: what was published stays, and it is tried again", "err", h.Err)
	case !h.Degraded && last.Degraded:
		s.logger.Info("EndpointSlices can be read again")
	}
	if h.Synced && !last.Synced {
		s.logger.Info("the initial list of EndpointSlices is handled")
		s.watcher.open()
	}
	s.watcher.options.HealthChanged(s.health(h))
}

func (s *source) health(h follow.Health) Health {
	return Health{Namespace: s.namespace, Synced: h.Synced, Degraded: h.Degraded, Since: h.Since, Heard: h.Heard, Err: h.Err}
}

// parsed is a slice as the index keeps it, in a form in which client-go can
// carry it.
type parsed struct{ *endpointset.Slice }

// GetObjectMeta returns the little that client-go asks for.
func (p parsed) GetObjectMeta() metav1.Object {
	return &metav1.ObjectMeta{Namespace: p.Key().Namespace, Name: p.Key().Name, ResourceVersion: p.ResourceVersion()}
}

// Put takes a slice's new content.
func (s *source) Put(obj any) error {
	slice, err := sliceOf(obj)
	if err != nil {
		return err
	}
	s.watcher.take(func() []endpointset.Change { return s.watcher.index.Apply(slice) })
	return nil
}

// Delete takes the deletion of a slice. Of the object only the name counts (S17).
func (s *source) Delete(obj any) error {
	name, err := cache.DeletionHandlingObjectToName(obj)
	if err != nil {
		return fmt.Errorf("watch: a %T without a name: %w", obj, err)
	}
	key := endpointset.SliceKey{Namespace: name.Namespace, Name: name.Name}
	s.watcher.take(func() []endpointset.Change { return s.watcher.index.Delete(key) })
	return nil
}

// Replace takes a full list, as one step (S16).
func (s *source) Replace(list []any) error {
	all := make([]*endpointset.Slice, 0, len(list))
	for _, obj := range list {
		slice, err := sliceOf(obj)
		if err != nil {
			return err
		}
		all = append(all, slice)
	}
	s.watcher.take(func() []endpointset.Change { return s.watcher.index.Replace(s.namespace, all) })
	return nil
}

func sliceOf(obj any) (*endpointset.Slice, error) {
	p, ok := obj.(parsed)
	if !ok {
		return nil, fmt.Errorf("watch: a %T instead of an EndpointSlice", obj)
	}
	return p.Slice, nil
}
