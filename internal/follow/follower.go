package follow

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/go-logr/logr"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
)

// Silence is how long the API server may say nothing before a connection is given
// up. It sends a bookmark about once a minute.
const Silence = 150 * time.Second

// Store takes what is read, from one goroutine.
type Store interface {
	// Put takes an object that was added or changed.
	Put(obj any) error
	// Delete takes the deletion of an object. Of the object only the name counts.
	Delete(obj any) error
	// Replace takes a full list as one step (S16). The follower is not synced
	// before the first Replace returns.
	Replace(list []any) error
}

// Options say what a [Follower] follows.
type Options struct {
	// Name is for logs.
	Name string
	// Type is an object of the kind that is followed, and Description its name.
	Type        runtime.Object
	Description string
	Calls       Calls
	// Client is what Calls are of: client-go asks it whether it can stream a list.
	Client any
	Store  Store
	// Transform makes objects small while they come in. Nil keeps them as they are.
	Transform cache.TransformFunc
	// Silence replaces [Silence] if it is not 0.
	Silence time.Duration
	// GiveUp is called when a connection was silent for too long, so that the next
	// attempt uses another. Nil is not called.
	GiveUp func()
	// Changed is called when Synced or Degraded is another, one call at a time.
	// Nil is not called.
	Changed func(Health)
	// Logger gets client-go's own lines, as details.
	Logger *slog.Logger
}

// Follower keeps a store equal to what an API server has. Create it with [New].
type Follower struct {
	options Options
	state   state
	// cut counts the streams in a row that ended before they said what they are for.
	cut atomic.Int32
}

// New returns a follower that has read nothing yet.
func New(options Options) *Follower {
	if options.Silence == 0 {
		options.Silence = Silence
	}
	if options.Logger == nil {
		options.Logger = slog.New(slog.DiscardHandler)
	}
	return &Follower{options: options, state: state{changed: options.Changed}}
}

// Health returns the present state. It may be called from any goroutine.
func (f *Follower) Health() Health { return f.state.get() }

// Run follows until ctx ends. It may be called once.
func (f *Follower) Run(ctx context.Context) {
	// Health tells of failures, once for each; client-go would at each retry.
	ctx = klog.NewContext(ctx, logr.FromSlogHandler(demoted{f.options.Logger.Handler()}))
	calls := &cache.ListWatch{ListWithContextFunc: f.list, WatchFuncWithContext: f.watch}
	reflector := cache.NewReflectorWithOptions(
		cache.ToListWatcherWithWatchListSemantics(calls, f.options.Client), f.options.Type, store{f},
		cache.ReflectorOptions{Name: f.options.Name, TypeDescription: f.options.Description, Backoff: retryBackoff()})
	reflector.RunWithContext(ctx)
}

// retryBackoff is how the API server is asked again. client-go's own default
// waits up to a minute, which is long for what is to follow.
func retryBackoff() *wait.Backoff {
	return &wait.Backoff{Duration: 200 * time.Millisecond, Factor: 2, Jitter: 1, Steps: 6, Cap: 5 * time.Second}
}

// list is the reflector's list.
func (f *Follower) list(ctx context.Context, options metav1.ListOptions) (list runtime.Object, err error) {
	ctx, end := f.bound(ctx)
	defer func() { err = end(err) }()
	list, err = f.options.Calls.List(ctx, options)
	if err == nil {
		f.cut.Store(0)
		f.state.heardPart() // a failure ends when the list is in the store
	}
	return list, err
}

// watch is the reflector's watch.
func (f *Follower) watch(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
	if err := f.pause(ctx); err != nil {
		return nil, err
	}
	streaming, stop := context.WithCancel(ctx)
	bounded, end := f.bound(streaming)
	inner, err := f.options.Calls.Watch(bounded, options)
	if err = end(err); err != nil {
		stop()
		return nil, err
	}
	initial := options.SendInitialEvents != nil && *options.SendInitialEvents
	return f.listen(ctx, inner, stop, initial), nil
}

// errSilent says that nothing was heard for too long.
type errSilent time.Duration

func (e errSilent) Error() string {
	return fmt.Sprintf("the API server said nothing for %s", time.Duration(e))
}

// errCut says that a streamed list ended before it was complete.
var errCut = errors.New("the API server's list ended before it was complete")

// errEmpty says that a watch was empty, which is what client-go makes of attempts
// that timed out.
var errEmpty = errors.New("the API server did not answer the watch")

// bound returns a context for a call that ends when the call takes too long, and
// what notes the outcome of the call. A call that was given up returns errSilent.
func (f *Follower) bound(ctx context.Context) (context.Context, func(error) error) {
	bounded, cancel := context.WithCancelCause(ctx)
	timer := time.AfterFunc(f.options.Silence, func() { cancel(errSilent(f.options.Silence)) })
	return bounded, func(err error) error {
		timer.Stop()
		if ctx.Err() != nil {
			return err // we are the ones who ended the call
		}
		var silent errSilent
		if errors.As(context.Cause(bounded), &silent) {
			err = silent
			f.giveUp()
		}
		f.note(err)
		return err
	}
}

func (f *Follower) giveUp() {
	if f.options.GiveUp != nil {
		f.options.GiveUp()
	}
}

// note notes the outcome of a call or a stream. Without an error nothing is known
// of a watch yet: client-go returns a stream that is empty, and no error, after
// attempts that timed out.
func (f *Follower) note(err error) {
	switch {
	case err == nil:
	case apierrors.IsResourceExpired(err) || apierrors.IsGone(err) || apierrors.IsInvalid(err):
		// The resourceVersion is compacted away, or the API server is too old to
		// stream a list and refuses to. A list follows at once, and its outcome counts.
	default:
		f.state.failed(err)
	}
}

// pause waits after streams that were cut or silent: client-go asks again at once.
func (f *Follower) pause(ctx context.Context) error {
	cut := f.cut.Load()
	if cut == 0 {
		return nil
	}
	backoff := retryBackoff()
	var length time.Duration
	for range min(cut, int32(backoff.Steps)) {
		length = backoff.Step()
	}
	timer := time.NewTimer(length)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
