package live

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"

	"github.com/slicewright/slicewright/app/internal/shadow"
)

// Events writes a Kubernetes Event on a Service whenever its outcome changes:
// one when it begins to differ, one when it agrees again, none while it stays as
// it is. It needs create on events.
type Events struct {
	client corev1client.EventsGetter
	logger *slog.Logger
	host   string
	// queue is filled by Judged and emptied by Run; it is never closed.
	queue chan *corev1.Event
}

// maxQueued bounds the Events that wait for the API server: when more Services
// than that change at once, the report is the place to look.
const maxQueued = 1000

// NewEvents returns a writer of Events that says it runs on host.
func NewEvents(client corev1client.EventsGetter, host string, logger *slog.Logger) *Events {
	return &Events{client: client, logger: logger, host: host, queue: make(chan *corev1.Event, maxQueued)}
}

// Judged is for [Options]. It does not block.
func (e *Events) Judged(j Judgement) {
	outcome := j.Verdict.Comparison.Outcome()
	if outcome == j.Before || j.Before == "" && outcome == shadow.Equal {
		return // that a Service is as it should be is no news
	}
	select {
	case e.queue <- e.event(j, outcome):
	default:
		e.logger.Warn("too many Events wait: one is left out", "service", j.Service.String())
	}
}

func (e *Events) event(j Judgement, outcome shadow.Outcome) *corev1.Event {
	event := &corev1.Event{
		ObjectMeta: metav1.ObjectMeta{Namespace: j.Service.Namespace, GenerateName: "slicewright-shadow-"},
		InvolvedObject: corev1.ObjectReference{
			APIVersion: "v1", Kind: "Service", Namespace: j.Service.Namespace, Name: j.Service.Name, UID: types.UID(j.UID),
		},
		Type: corev1.EventTypeNormal, Reason: "EndpointsAgree", Message: "Endpoints and EndpointSlices agree again",
		Source:         corev1.EventSource{Component: "slicewright-shadow", Host: e.host},
		FirstTimestamp: metav1.NewTime(j.At), LastTimestamp: metav1.NewTime(j.At), Count: 1,
	}
	if outcome == shadow.Different {
		event.Type, event.Reason = corev1.EventTypeWarning, "EndpointsDiffer"
		var h shadow.History
		h.Add(j.At, j.Verdict)
		part := h.Report(j.Service, "")
		// The API takes 1024 bytes; there are 18 classes, whose names are short.
		event.Message = fmt.Sprintf("Endpoints and EndpointSlices differ: %s. See slicewright shadow.", part.Summary())
	}
	return event
}

// Run writes Events until ctx ends, and then those that still wait, for a few
// seconds at most.
func (e *Events) Run(ctx context.Context) {
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case event := <-e.queue:
			e.write(ctx, event)
		}
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	for last.Err() == nil {
		select {
		case event := <-e.queue:
			e.write(last, event)
		default:
			return
		}
	}
}

func (e *Events) write(ctx context.Context, event *corev1.Event) {
	if _, err := e.client.Events(event.Namespace).Create(ctx, event, metav1.CreateOptions{}); err != nil {
		e.logger.Warn("cannot write an Event", "service", event.Namespace+"/"+event.InvolvedObject.Name, "err", err)
	}
}
