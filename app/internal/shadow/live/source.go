package live

import (
	"context"
	"fmt"
	"maps"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	apiwatch "k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"

	"github.com/slicewright/slicewright/app/internal/shadow"
)

// A source is the watch of one resource in one namespace, or of all. It is its
// reflector's store, and what is known of its health.
type source struct {
	resource
	watcher   *Watcher
	namespace string // "" is all
	service   string // "" is all

	// What follows is guarded by watcher.mu.

	own    map[types.NamespacedName]bool // what this source put in
	synced bool                          // a full list was handled (S14)
	err    error                         // of the last call; nil when it worked
}

var _ cache.TransformingStore = (*source)(nil)

// good reports that what the source has is what the API server has, as far as
// can be known. watcher.mu must be held.
func (s *source) good() bool { return s.synced && s.err == nil }

// pending reports that there was no answer yet. watcher.mu must be held.
func (s *source) pending() bool { return !s.synced && s.err == nil }

// refused reports that permission is missing. watcher.mu must be held.
func (s *source) refused() bool {
	return apierrors.IsForbidden(s.err) || apierrors.IsUnauthorized(s.err)
}

// unread describes a source that is not good, for a report.
func (s *source) unread() shadow.Unread {
	problem := "no answer yet"
	if s.err != nil {
		problem = s.err.Error()
	}
	return shadow.Unread{Resource: s.name, Namespace: s.namespace, Needed: s.needed, Refused: s.refused(), Problem: problem, Effect: s.effect}
}

// reflector returns what keeps the source at what the API server has.
func (s *source) reflector() *cache.Reflector {
	api := s.calls(s.watcher.client, s.namespace)
	narrow := func(options metav1.ListOptions) metav1.ListOptions {
		if s.service != "" && s.only != nil {
			s.only(&options, s.service)
		}
		return options
	}
	both := &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			list, err := api.list(ctx, narrow(options))
			s.observe(ctx, err)
			return list, err
		},
		WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (apiwatch.Interface, error) {
			stream, err := api.watch(ctx, narrow(options))
			// An older API server knows no watch that begins with a list, and is
			// asked for the list next: what comes of that counts.
			if !apierrors.IsInvalid(err) || options.SendInitialEvents == nil {
				s.observe(ctx, err)
			}
			return stream, err
		},
	}
	return cache.NewReflectorWithOptions(cache.ToListWatcherWithWatchListSemantics(both, s.watcher.client), s.kind, s, cache.ReflectorOptions{ //nolint:endpointsvet // the deprecated API is what is compared
		Name:            "shadow/" + s.name + "/" + s.namespace,
		TypeDescription: s.name,
		// client-go's own default waits up to a minute, in which nothing is judged.
		Backoff: &wait.Backoff{Duration: 200 * time.Millisecond, Factor: 2, Jitter: 1, Steps: 6, Cap: 5 * time.Second},
	})
}

// observe notes the outcome of a call.
func (s *source) observe(ctx context.Context, err error) {
	// That we ended the call ourselves says nothing, nor does a compacted
	// resourceVersion: a list follows at once, and its outcome counts.
	if ctx.Err() != nil || apierrors.IsResourceExpired(err) || apierrors.IsGone(err) {
		return
	}
	w := s.watcher
	w.mu.Lock()
	defer w.mu.Unlock()
	was := s.err
	s.err = err
	switch {
	case (was == nil) == (err == nil):
		return
	case err != nil && s.needed:
		w.logger.Warn("cannot read: nothing is judged until it can be read again", "resource", s.name, "namespace", where(s.namespace), "err", err)
	case err != nil:
		w.logger.Warn("cannot read: "+s.effect, "resource", s.name, "namespace", where(s.namespace), "err", err)
	default:
		w.logger.Info("can be read again", "resource", s.name, "namespace", where(s.namespace))
	}
	w.reconsider(s)
}

func where(namespace string) string {
	if namespace == "" {
		return "(all)"
	}
	return namespace
}

// Transformer makes objects small while a list comes in.
func (s *source) Transformer() cache.TransformFunc { return trim }

// Add takes in a new object.
func (s *source) Add(object any) error { return s.Update(object) }

// Update takes in an object's new content.
func (s *source) Update(object any) error {
	own, err := nameOf(object)
	if err != nil {
		return err
	}
	w := s.watcher
	w.mu.Lock()
	defer w.mu.Unlock()
	s.put(own, object)
	return nil
}

// Delete takes an object out.
func (s *source) Delete(object any) error {
	own, err := nameOf(object)
	if err != nil {
		return err
	}
	w := s.watcher
	w.mu.Lock()
	defer w.mu.Unlock()
	s.remove(own)
	return nil
}

// Replace takes in a full list as one step (S16).
func (s *source) Replace(list []any, _ string) error {
	w := s.watcher
	w.mu.Lock()
	defer w.mu.Unlock()
	gone := maps.Clone(s.own)
	for _, object := range list {
		own, err := nameOf(object)
		if err != nil {
			return err
		}
		delete(gone, own)
		s.put(own, object)
	}
	for own := range gone {
		s.remove(own)
	}
	if !s.synced {
		s.synced = true
		w.reconsider(s)
	}
	return nil
}

// Resync has nothing to do: there is no second copy to agree with.
func (s *source) Resync() error { return nil }

func (s *source) put(own types.NamespacedName, object any) {
	if trimmed, err := trim(object); err == nil {
		object = trimmed
	}
	s.own[own] = true
	s.watcher.touch(s.watcher.objects.put(object))
}

func (s *source) remove(own types.NamespacedName) {
	delete(s.own, own)
	s.watcher.touch(s.watcher.objects.remove(s.kind, own))
}

func nameOf(object any) (types.NamespacedName, error) {
	name, err := cache.DeletionHandlingObjectToName(object)
	if err != nil {
		return types.NamespacedName{}, fmt.Errorf("shadow: a %T without a name: %w", object, err)
	}
	return types.NamespacedName{Namespace: name.Namespace, Name: name.Name}, nil
}
