package watch

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/go-logr/logr"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	apiwatch "k8s.io/apimachinery/pkg/watch"
	discoveryclient "k8s.io/client-go/kubernetes/typed/discovery/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"

	"github.com/slicewright/slicewright/endpointset"
)

// Options say what a [Watcher] watches. The zero value watches all namespaces
// and believes every slice.
type Options struct {
	// Namespaces to watch. Empty watches all, which asks for cluster-wide
	// permission.
	Namespaces []string
	// Index restricts what is believed.
	Index endpointset.Options
	// Changed is called with what an event changed, from the goroutine that
	// received it and in order within a namespace. It must return quickly. Nil
	// is not called.
	Changed func([]endpointset.Change)
	// Logger gets a line when the state of a watch changes. Nil is silent.
	Logger *slog.Logger
}

// Watcher keeps an index equal to the slices of an API server. All methods may
// be called from any goroutine, before, during and after Run.
type Watcher struct {
	client  discoveryclient.EndpointSlicesGetter
	changed func([]endpointset.Change)
	logger  *slog.Logger
	index   *endpointset.Index
	sources []*source
}

// New returns a watcher that has seen nothing yet. Use [Configure] for the
// connection that client is made from.
func New(client discoveryclient.EndpointSlicesGetter, options Options) *Watcher {
	namespaces := slices.Compact(slices.Sorted(slices.Values(options.Namespaces)))
	if len(namespaces) == 0 || slices.Contains(namespaces, metav1.NamespaceAll) {
		namespaces = []string{metav1.NamespaceAll}
	}
	logger := options.Logger
	if logger == nil {
		logger = slog.New(slog.DiscardHandler)
	}
	w := &Watcher{client: client, changed: options.Changed, logger: logger, index: endpointset.NewIndex(options.Index)}
	if w.changed == nil {
		w.changed = func([]endpointset.Change) {}
	}
	for _, namespace := range namespaces {
		w.sources = append(w.sources, newSource(namespace, logger))
	}
	return w
}

// Index returns the index. It may be read at any time; before [Watcher.Synced]
// it is not complete, and nothing may be published from it.
func (w *Watcher) Index() *endpointset.Index { return w.index }

// Synced reports whether the initial list of every namespace has been handled
// (S14). Once true it stays true.
func (w *Watcher) Synced() bool {
	for _, s := range w.sources {
		if !s.health().Synced {
			return false
		}
	}
	return true
}

// Health returns the state of each watch, sorted by namespace.
func (w *Watcher) Health() []Health {
	states := make([]Health, len(w.sources))
	for i, s := range w.sources {
		states[i] = s.health()
	}
	return states
}

// Run watches until ctx ends. It may be called once.
func (w *Watcher) Run(ctx context.Context) {
	// Health speaks of failures, once for each; client-go would at each retry.
	ctx = klog.NewContext(ctx, logr.FromSlogHandler(demoted{w.logger.Handler()}))
	var running sync.WaitGroup
	for _, s := range w.sources {
		running.Go(func() { w.reflector(s).RunWithContext(ctx) })
	}
	running.Wait()
}

// reflector returns what keeps the index equal to one namespace.
//
// It is a reflector that writes into the index, and no shared informer: an
// informer would keep a second store and hand a relist out object by object, so
// that an endpoint that moved from one slice to another is absent for a moment.
// See docs/adr/0011-reflector-instead-of-informer.md.
func (w *Watcher) reflector(s *source) *cache.Reflector {
	client := w.client.EndpointSlices(s.namespace)
	calls := &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			list, err := client.List(ctx, options)
			s.observe(ctx, err)
			return list, err
		},
		WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (apiwatch.Interface, error) {
			stream, err := client.Watch(ctx, options)
			s.observe(ctx, err)
			return stream, err
		},
	}
	return cache.NewReflectorWithOptions(
		cache.ToListWatcherWithWatchListSemantics(calls, w.client),
		&discoveryv1.EndpointSlice{},
		&store{watcher: w, source: s},
		cache.ReflectorOptions{
			Name:            "endpointslices/" + s.namespace,
			TypeDescription: "EndpointSlice",
			Backoff:         retryBackoff(),
		})
}

// retryBackoff is how the API server is asked again. client-go's own default
// waits up to a minute, which is long for a load balancer that is to follow.
func retryBackoff() *wait.Backoff {
	return &wait.Backoff{Duration: 200 * time.Millisecond, Factor: 2, Jitter: 1, Steps: 6, Cap: 5 * time.Second}
}

// demoted is a log handler for which everything is a detail.
type demoted struct{ slog.Handler }

// Enabled reports whether details are logged.
func (d demoted) Enabled(ctx context.Context, _ slog.Level) bool {
	return d.Handler.Enabled(ctx, slog.LevelDebug)
}

// Handle logs the record as a detail.
func (d demoted) Handle(ctx context.Context, r slog.Record) error {
	r.Level = slog.LevelDebug
	return d.Handler.Handle(ctx, r)
}

// WithAttrs returns a handler that adds attributes.
func (d demoted) WithAttrs(attrs []slog.Attr) slog.Handler {
	return demoted{d.Handler.WithAttrs(attrs)}
}

// WithGroup returns a handler that puts attributes into a group.
func (d demoted) WithGroup(name string) slog.Handler { return demoted{d.Handler.WithGroup(name)} }
