package watch

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiwatch "k8s.io/apimachinery/pkg/watch"

	"github.com/slicewright/slicewright/endpointset"
	"github.com/slicewright/slicewright/internal/follow"
)

// Options say what a [Watcher] watches. The zero value watches all namespaces
// and believes every slice.
type Options struct {
	// Namespaces to watch. Empty watches all, which asks for cluster-wide
	// permission.
	Namespaces []string
	// Index restricts what is believed.
	Index endpointset.Options
	// Changed is called with what is different, from the goroutine that received
	// it, one call at a time. It must return quickly. Nil is not called.
	//
	// The first call comes when the initial list of every namespace has been
	// handled (S14). Its changes lead from nothing to what there is then, in every
	// namespace; they are empty if there is nothing. Each later call has the
	// changes of one event or of one list, at least one. No change is left out and
	// none is told twice: added to each other they give the index.
	Changed func([]endpointset.Change)
	// HealthChanged is called when Synced or Degraded of a namespace is another,
	// one call at a time for each namespace. It must return quickly. Nil is not
	// called.
	HealthChanged func(Health)
	// Silence is how long the API server may say nothing before the watch counts
	// as degraded and the connection is given up; 0 is [DefaultSilence].
	Silence time.Duration
	// Logger gets a line when the state of a watch changes. Nil is
	// [slog.Default]; use slog.DiscardHandler for no lines.
	Logger *slog.Logger
}

// DefaultSilence is a little more than two bookmarks, of which an API server sends
// about one a minute.
const DefaultSilence = follow.Silence

// SlicesGetter gives access to the EndpointSlices of a namespace, or of all
// namespaces if it is "". The DiscoveryV1() of every client-go clientset is one,
// and so is [Client].
type SlicesGetter[S Slices] interface {
	EndpointSlices(namespace string) S
}

// Slices lists and watches EndpointSlices.
type Slices interface {
	List(context.Context, metav1.ListOptions) (*discoveryv1.EndpointSliceList, error)
	Watch(context.Context, metav1.ListOptions) (apiwatch.Interface, error)
}

// Watcher keeps an index equal to the slices of an API server. All methods may
// be called from any goroutine, before, during and after Run.
type Watcher struct {
	options Options
	index   *endpointset.Index
	sources []*source

	// taking is held while the index is changed and told of, so that what is told
	// adds up. It guards told: that Changed was called for the first time.
	taking sync.Mutex
	told   bool
}

// New returns a watcher that has seen nothing yet. Use [Configure] for the
// connection that client is made from.
func New[S Slices](client SlicesGetter[S], options Options) *Watcher {
	namespaces := slices.Compact(slices.Sorted(slices.Values(options.Namespaces)))
	if len(namespaces) == 0 || slices.Contains(namespaces, metav1.NamespaceAll) {
		namespaces = []string{metav1.NamespaceAll}
	}
	if options.Logger == nil {
		options.Logger = slog.Default()
	}
	if options.Changed == nil {
		options.Changed = func([]endpointset.Change) {}
	}
	if options.HealthChanged == nil {
		options.HealthChanged = func(Health) {}
	}
	w := &Watcher{options: options, index: endpointset.NewIndex(options.Index)}
	for _, namespace := range namespaces {
		calls := follow.CallsOf(client.EndpointSlices(namespace))
		w.sources = append(w.sources, newSource(w, namespace, calls, client))
	}
	return w
}

// Index returns the index. It may be read at any time; before [Watcher.Synced]
// it is not complete, and nothing may be published from it.
func (w *Watcher) Index() *endpointset.Index { return w.index }

// Service returns the present set of a Service. It returns nil and false until
// [Watcher.Synced]: what is not known yet is not an empty set (S14). The method
// is a source for package publish.
func (w *Watcher) Service(key endpointset.ServiceKey) (*endpointset.Set, bool) {
	if !w.Synced() {
		return nil, false
	}
	return w.index.Service(key), true
}

// Synced reports whether the initial list of every namespace has been handled
// (S14). Once true it stays true.
func (w *Watcher) Synced() bool {
	for _, s := range w.sources {
		if !s.follower.Health().Synced {
			return false
		}
	}
	return true
}

// Health returns the state of each watch, sorted by namespace.
func (w *Watcher) Health() []Health {
	states := make([]Health, len(w.sources))
	for i, s := range w.sources {
		states[i] = s.health(s.follower.Health())
	}
	return states
}

// Run watches until ctx ends. It may be called once.
func (w *Watcher) Run(ctx context.Context) {
	var running sync.WaitGroup
	for _, s := range w.sources {
		running.Go(func() { s.follower.Run(ctx) })
	}
	running.Wait()
}

// take changes the index and tells what that changed. Before the gate is open it
// tells nothing: open does, of everything.
func (w *Watcher) take(change func() []endpointset.Change) {
	w.taking.Lock()
	defer w.taking.Unlock()
	if changes := change(); w.told && len(changes) > 0 {
		w.options.Changed(changes)
	}
}

// open tells everything that there is, once, when the last namespace is synced.
func (w *Watcher) open() {
	if !w.Synced() {
		return
	}
	w.taking.Lock()
	defer w.taking.Unlock()
	if !w.told {
		w.told = true
		w.options.Changed(w.index.Contents())
	}
}
