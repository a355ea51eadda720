package record

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"time"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/slicewright/slicewright/app/internal/apiclient"
	"github.com/slicewright/slicewright/app/internal/timeline"
	"github.com/slicewright/slicewright/endpointset"
	"github.com/slicewright/slicewright/internal/pause"
)

const (
	// pageSize is how many objects a list asks for at a time.
	pageSize = 500
	// firstRetry and lastRetry bound the time between attempts, which doubles.
	firstRetry, lastRetry = 100 * time.Millisecond, 10 * time.Second
	// watchTime is how long the API server is asked to keep a watch open, plus up
	// to as much again, so that many recorders do not come back at once.
	watchTime = 5 * time.Minute
)

// watcher keeps one kind of object listed and watched.
//
// It does its own lists and watches, and not client-go's informers, since those
// hide what matters here: when a watch was down, and whether what came after it
// goes on where it stopped or replaces it.
type watcher struct {
	resource  resource
	client    apiclient.Interface
	namespace string
	now       func() time.Time
	log       *slog.Logger

	// version is where to go on, "" after it was lost.
	version string
	// heard is when the watch last said anything: all up to then is known.
	heard time.Time

	// isDown and downSince belong to the recorder, not to the watcher's goroutine.
	isDown    bool
	downSince time.Time
}

// resource is a kind of object that is recorded.
type resource struct {
	name  string
	list  func(ctx context.Context, w *watcher, options metav1.ListOptions) (runtime.Object, error)
	watch func(ctx context.Context, w *watcher, options metav1.ListOptions) (watch.Interface, error)
	// replace makes events of a whole list.
	replace func(ctx context.Context, a *applier, m moment, namespace string, pages []runtime.Object) error
	// change makes events of one object of a watch.
	change func(ctx context.Context, a *applier, m moment, op timeline.Op, obj runtime.Object) error
}

// resources are in the order in which they are first listed: Services decide
// which slices belong, and those which Pods.
var resources = []resource{
	{
		name: "services",
		list: func(ctx context.Context, w *watcher, o metav1.ListOptions) (runtime.Object, error) {
			return w.client.CoreV1().Services(w.namespace).List(ctx, o)
		},
		watch: func(ctx context.Context, w *watcher, o metav1.ListOptions) (watch.Interface, error) {
			return w.client.CoreV1().Services(w.namespace).Watch(ctx, o)
		},
		replace: func(ctx context.Context, a *applier, m moment, namespace string, pages []runtime.Object) error {
			var items []corev1.Service
			for _, p := range pages {
				items = append(items, p.(*corev1.ServiceList).Items...)
			}
			return a.serviceList(ctx, m, namespace, items)
		},
		change: func(ctx context.Context, a *applier, m moment, op timeline.Op, obj runtime.Object) error {
			svc, ok := obj.(*corev1.Service)
			switch {
			case !ok:
				return nil
			case op == timeline.Deleted:
				return a.serviceGone(ctx, m, op, endpointset.ServiceKey{Namespace: svc.Namespace, Name: svc.Name})
			}
			return a.service(ctx, m, op, svc)
		},
	},
	{
		name: "endpointslices",
		list: func(ctx context.Context, w *watcher, o metav1.ListOptions) (runtime.Object, error) {
			return w.client.DiscoveryV1().EndpointSlices(w.namespace).List(ctx, o)
		},
		watch: func(ctx context.Context, w *watcher, o metav1.ListOptions) (watch.Interface, error) {
			return w.client.DiscoveryV1().EndpointSlices(w.namespace).Watch(ctx, o)
		},
		replace: func(ctx context.Context, a *applier, m moment, namespace string, pages []runtime.Object) error {
			var items []discoveryv1.EndpointSlice
			for _, p := range pages {
				items = append(items, p.(*discoveryv1.EndpointSliceList).Items...)
			}
			return a.sliceList(ctx, m, namespace, items)
		},
		change: func(ctx context.Context, a *applier, m moment, op timeline.Op, obj runtime.Object) error {
			s, ok := obj.(*discoveryv1.EndpointSlice)
			switch {
			case !ok:
				return nil
			case op == timeline.Deleted:
				return a.sliceGone(ctx, m, op, endpointset.SliceKey{Namespace: s.Namespace, Name: s.Name}, s.ResourceVersion)
			}
			return a.slice(ctx, m, op, s)
		},
	},
	{
		name: "pods",
		list: func(ctx context.Context, w *watcher, o metav1.ListOptions) (runtime.Object, error) {
			return w.client.CoreV1().Pods(w.namespace).List(ctx, o)
		},
		watch: func(ctx context.Context, w *watcher, o metav1.ListOptions) (watch.Interface, error) {
			return w.client.CoreV1().Pods(w.namespace).Watch(ctx, o)
		},
		replace: func(ctx context.Context, a *applier, m moment, namespace string, pages []runtime.Object) error {
			var items []corev1.Pod
			for _, p := range pages {
				items = append(items, p.(*corev1.PodList).Items...)
			}
			return a.podList(ctx, m, namespace, items)
		},
		change: func(ctx context.Context, a *applier, m moment, op timeline.Op, obj runtime.Object) error {
			pod, ok := obj.(*corev1.Pod)
			switch {
			case !ok:
				return nil
			case op == timeline.Deleted:
				last := timeline.PodOf(pod)
				return a.podGone(ctx, m, op, string(pod.UID), &last)
			}
			return a.pod(ctx, m, op, pod)
		},
	},
}

// list reads everything, page by page, and remembers where to watch from.
func (w *watcher) list(ctx context.Context) (message, error) {
	var pages []runtime.Object
	options := metav1.ListOptions{Limit: pageSize}
	for {
		page, err := w.resource.list(ctx, w, options)
		if err != nil {
			return message{}, err
		}
		pages = append(pages, page)
		meta, ok := page.(metav1.ListMetaAccessor)
		if !ok {
			return message{}, fmt.Errorf("the answer is a %T", page)
		}
		w.version = meta.GetListMeta().GetResourceVersion()
		if options.Continue = meta.GetListMeta().GetContinue(); options.Continue == "" {
			break
		}
	}
	w.heard = w.now()
	return message{watch: w, at: w.heard, apply: func(ctx context.Context, a *applier, m moment) error {
		return w.resource.replace(ctx, a, m, w.namespace, pages)
	}}, nil
}

// run watches until ctx ends. Whenever the watch breaks it goes on where it
// stopped, or, where the API server no longer can, with a list.
func (w *watcher) run(ctx context.Context, out chan<- message) error {
	retry := firstRetry
	var down *timeline.Gap
	warned := false
	for {
		began := w.now()
		stream, err := w.open(ctx, out, &down)
		switch {
		case ctx.Err() != nil:
			if stream != nil {
				stream.Stop()
			}
			return ctx.Err()
		case err != nil:
			if down == nil {
				down = w.gap(w.heard, time.Time{}, false, err.Error())
			}
			if !warned { // once is enough, however long it takes
				w.log.Warn("watch is down, trying again", "resource", w.resource.name, "namespace", w.namespace, "error", err)
				warned = true
			}
		default:
			if down, err = w.follow(ctx, stream, out); err != nil {
				return err
			}
			retry, warned = firstRetry, false
		}
		if err := send(ctx, out, message{watch: w, at: down.From, down: true, reason: down.Reason}); err != nil {
			return err
		}
		// A watch that was open for a while and ended is taken up at once: every
		// moment without it is a gap.
		if err == nil && w.now().Sub(began) > lastRetry {
			continue
		}
		if err := pause.For(ctx, retry); err != nil {
			return err
		}
		retry = min(2*retry, lastRetry)
	}
}

// open begins a watch, with a list before it when the place was lost, and says
// so if it had been down.
func (w *watcher) open(ctx context.Context, out chan<- message, down **timeline.Gap) (watch.Interface, error) {
	if w.version == "" {
		list, err := w.list(ctx)
		if err != nil {
			return nil, err
		}
		if *down != nil {
			(*down).To, (*down).Lost = list.at, true
			list.gap, *down = *down, nil
		}
		if err := send(ctx, out, list); err != nil {
			return nil, err
		}
	}
	timeout := int64((watchTime + rand.N(watchTime)).Seconds())
	stream, err := w.resource.watch(ctx, w, metav1.ListOptions{
		ResourceVersion: w.version, AllowWatchBookmarks: true, TimeoutSeconds: &timeout,
	})
	if err != nil {
		if apierrors.IsGone(err) || apierrors.IsResourceExpired(err) {
			w.version = ""
		}
		return nil, err
	}
	if *down != nil {
		now := w.now()
		(*down).To = now
		message := message{watch: w, at: now, gap: *down}
		*down = nil
		if err := send(ctx, out, message); err != nil {
			return stream, err
		}
	}
	return stream, nil
}

// follow passes on what a watch says until it ends, and returns the gap that
// begins there. The error is that of ctx.
func (w *watcher) follow(ctx context.Context, stream watch.Interface, out chan<- message) (*timeline.Gap, error) {
	defer stream.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case ev, ok := <-stream.ResultChan():
			now := w.now()
			if !ok {
				// An orderly end: all that came before it has arrived.
				return w.gap(now, time.Time{}, false, "the API server ended the watch"), nil
			}
			if ev.Type == watch.Error {
				return w.failed(ev.Object), nil
			}
			message, err := w.message(ev, now)
			if err != nil {
				w.version = ""
				return w.gap(w.heard, time.Time{}, false, err.Error()), nil
			}
			if err := send(ctx, out, message); err != nil {
				return nil, err
			}
		}
	}
}

// failed handles an ERROR event. After a broken connection anything since the
// last word may be missing.
func (w *watcher) failed(obj runtime.Object) *timeline.Gap {
	err := apierrors.FromObject(obj)
	var status apierrors.APIStatus
	if errors.As(err, &status) && status.Status().Code == http.StatusGone ||
		apierrors.IsGone(err) || apierrors.IsResourceExpired(err) {
		w.version = ""
	}
	w.log.Warn("watch broke", "resource", w.resource.name, "namespace", w.namespace, "error", err)
	return w.gap(w.heard, time.Time{}, false, err.Error())
}

func (w *watcher) message(ev watch.Event, now time.Time) (message, error) {
	meta, ok := ev.Object.(metav1.Object)
	if !ok {
		return message{}, fmt.Errorf("the watch sent a %T", ev.Object)
	}
	w.version, w.heard = meta.GetResourceVersion(), now
	m := message{watch: w, at: now}
	var op timeline.Op
	switch ev.Type {
	case watch.Bookmark:
		return m, nil
	case watch.Added:
		op = timeline.Added
	case watch.Modified:
		op = timeline.Modified
	case watch.Deleted:
		op = timeline.Deleted
	default:
		return message{}, fmt.Errorf("the watch sent an event of type %q", ev.Type)
	}
	m.apply = func(ctx context.Context, a *applier, m moment) error {
		return w.resource.change(ctx, a, m, op, ev.Object)
	}
	return m, nil
}

func (w *watcher) gap(from, to time.Time, lost bool, reason string) *timeline.Gap {
	return &timeline.Gap{From: from, To: to, Resource: w.resource.name, Namespace: w.namespace, Lost: lost, Reason: reason}
}

func send(ctx context.Context, out chan<- message, m message) error {
	select {
	case out <- m:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
