package follow

import (
	"context"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

// A stream passes a watch on and notes what is heard.
type stream struct {
	events chan watch.Event // closed by listen's goroutine
	once   sync.Once
	done   chan struct{} // closed by Stop
}

// ResultChan returns the events.
func (s *stream) ResultChan() <-chan watch.Event { return s.events }

// Stop ends the stream. It may be called more than once.
func (s *stream) Stop() { s.once.Do(func() { close(s.done) }) }

// listen passes on what a watch says until it ends, is stopped or is silent for
// too long. initial is true for a watch that begins with a full list; end ends
// the watch's connection.
func (f *Follower) listen(ctx context.Context, inner watch.Interface, end func(), initial bool) watch.Interface {
	s := &stream{events: make(chan watch.Event), done: make(chan struct{})}
	go func() {
		defer close(s.events)
		defer end()
		defer inner.Stop()
		f.pass(ctx, s, inner.ResultChan(), initial)
	}()
	return s
}

func (f *Follower) pass(ctx context.Context, s *stream, from <-chan watch.Event, initial bool) {
	listed := !initial
	if listed {
		// A stream that is open is an answer. The stream that client-go makes of
		// attempts that timed out is closed already.
		select {
		case event, open := <-from:
			if !open {
				f.note(errEmpty)
				return
			}
			if !f.hand(s, event, &listed) {
				return
			}
		default:
			f.state.heard()
		}
	}
	silence := time.NewTimer(f.options.Silence)
	defer silence.Stop()
	for {
		select {
		case event, open := <-from:
			if !open {
				if !listed && ctx.Err() == nil && !s.stopped() {
					f.cut.Add(1)
					f.note(errCut)
				}
				return
			}
			if !f.hand(s, event, &listed) {
				return
			}
			silence.Reset(f.options.Silence)
		case <-silence.C:
			f.cut.Add(1)
			f.giveUp()
			f.note(errSilent(f.options.Silence))
			return
		case <-s.done:
			return
		}
	}
}

// hand notes one event and passes it on; false if nobody takes it any more.
func (f *Follower) hand(s *stream, event watch.Event, listed *bool) bool {
	switch {
	case event.Type == watch.Error:
		f.note(apierrors.FromObject(event.Object))
	case *listed:
		f.cut.Store(0)
		f.state.heard()
	case isEndOfList(event):
		*listed = true
		f.cut.Store(0)
		f.state.heardPart() // a failure ends when the list is in the store
	default:
		// A part of a list does not end a failure: it may be cut again.
		f.state.heardPart()
	}
	select {
	case s.events <- event:
		return true
	case <-s.done:
		return false
	}
}

func (s *stream) stopped() bool {
	select {
	case <-s.done:
		return true
	default:
		return false
	}
}

// isEndOfList reports whether the event says that a streamed list is complete.
func isEndOfList(event watch.Event) bool {
	if event.Type != watch.Bookmark {
		return false
	}
	object, ok := event.Object.(metav1.Object)
	return ok && object.GetAnnotations()[metav1.InitialEventsAnnotationKey] == "true"
}
