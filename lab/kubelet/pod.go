package kubelet

import (
	"context"
	"errors"
	"net/netip"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/slicewright/slicewright/internal/pause"
)

// pod is one running Pod. Its goroutine, run, is the only one that touches
// what is not marked otherwise.
type pod struct {
	kubelet *Kubelet
	node    Node
	uid     types.UID

	updates chan *v1.Pod       // newest state only; sent to under the kubelet's mu
	vanish  context.CancelFunc // called when the object is gone; any goroutine

	object    *v1.Pod
	behaviour Behaviour
	addresses []netip.Addr
	server    *Server
	started   time.Time
	deleted   time.Time // when we saw the deletionTimestamp
	written   podStatus // what the object's status says by our hand
}

func newPod(k *Kubelet, node Node, object *v1.Pod, vanish context.CancelFunc) *pod {
	return &pod{
		kubelet: k,
		node:    node,
		uid:     object.UID,
		object:  object,
		updates: make(chan *v1.Pod, 1),
		vanish:  vanish,
	}
}

// tell hands over the newest state; an older one that was not yet looked at is
// of no interest any more. Callers hold the kubelet's mu.
func (p *pod) tell(object *v1.Pod) {
	select {
	case <-p.updates:
	default:
	}
	p.updates <- object
}

// run is the Pod's life: start, follow, stop. life ends when the object
// vanishes, as a Pod that is deleted by force has no grace; ctx, which is that
// of requests to the API server, only with the kubelet.
func (p *pod) run(ctx, life context.Context) {
	defer p.vanish()
	defer p.gone()
	if p.start(ctx, life) && p.follow(ctx, life) {
		p.finish(life)
		p.remove(ctx)
	}
}

// start takes an address and listens. It keeps trying, as what is taken now
// may be free soon, and reports false when the Pod's end comes first.
func (p *pod) start(ctx, life context.Context) bool {
	p.look(p.object)
	said := ""
	for {
		err := p.tryStart()
		if err == nil {
			p.started = time.Now()
			p.record(EventListening, "")
			return true
		}
		if err.Error() != said {
			said = err.Error()
			p.record(EventFailed, said)
		}
		select {
		case object := <-p.updates:
			p.look(object)
			if object.DeletionTimestamp != nil {
				p.remove(ctx)
				return false
			}
		case <-time.After(retryEvery):
		case <-life.Done():
			return false
		}
	}
}

func (p *pod) tryStart() error {
	wanted := p.behaviour.Wanted
	if len(wanted) == 0 {
		wanted = p.node.Pool
	}
	addresses, err := p.kubelet.pool.take(p.object.Namespace, wanted)
	if err != nil {
		return err
	}
	p.addresses = addresses
	for _, a := range addresses {
		if err := p.kubelet.config.Addresses.Add(a); err != nil {
			p.releaseAddresses()
			return err
		}
	}
	p.server, err = Listen(p.identity(), addresses, podPorts(p.object))
	if err != nil {
		p.releaseAddresses()
		return err
	}
	p.server.AnswerAfter(p.behaviour.AnswerAfter)
	return nil
}

// follow keeps the status true until the time to stop accepting has come
// (true) or life has ended (false).
func (p *pod) follow(ctx, life context.Context) bool {
	for {
		again := p.report(ctx)
		timer := time.NewTimer(again)
		select {
		case object := <-p.updates:
			p.look(object)
		case <-timer.C:
		case <-life.Done():
			timer.Stop()
			return false
		}
		timer.Stop()
		if !p.deleted.IsZero() && time.Since(p.deleted) >= p.serveFor() {
			return true
		}
	}
}

// look takes in the object's newest state.
func (p *pod) look(object *v1.Pod) {
	p.object = object
	behaviour, err := ParseBehaviour(object.Annotations)
	if err != nil {
		p.record(EventFailed, err.Error())
	}
	p.behaviour = behaviour
	if p.server != nil {
		p.server.AnswerAfter(behaviour.AnswerAfter)
	}
	if object.DeletionTimestamp != nil && p.deleted.IsZero() {
		p.deleted = time.Now()
		p.record(EventTerminating, "")
		if p.server != nil {
			p.server.Terminating()
		}
	}
}

// report writes the status if it is not what it should be, and returns how
// long it stays true if nobody says anything.
func (p *pod) report(ctx context.Context) time.Duration {
	want, again := p.wanted(time.Now())
	p.server.Well(want.ready)
	if want == p.written {
		return again
	}
	patch, err := statusPatch(p.object, p.addresses, p.started, want)
	if err == nil {
		_, err = p.kubelet.config.Client.CoreV1().Pods(p.object.Namespace).Patch(ctx, p.object.Name,
			types.StrategicMergePatchType, patch, metav1.PatchOptions{}, "status")
	}
	if err != nil {
		if ctx.Err() == nil && !apierrors.IsNotFound(err) {
			p.kubelet.config.Log.Warn("Pod status not written", "pod", p.object.Namespace+"/"+p.object.Name, "err", err)
		}
		return min(again, retryEvery)
	}
	if want.ready != p.written.ready {
		event := EventReady
		if !want.ready {
			event = EventNotReady
		}
		p.record(event, "")
	}
	p.written = want
	return again
}

// wanted is what the status should say at a time, and for how long.
func (p *pod) wanted(now time.Time) (podStatus, time.Duration) {
	// Nothing to wait for is an hour: the loop's timer needs some figure.
	again := time.Hour
	ready := p.behaviour.Ready
	if wait := p.behaviour.ReadyAfter - now.Sub(p.started); wait > 0 {
		ready, again = false, wait
	}
	if !p.deleted.IsZero() {
		ready = ready && p.behaviour.ReadyWhileTerminating
		again = min(again, max(0, p.serveFor()-now.Sub(p.deleted)))
	}
	return podStatus{running: true, ready: ready}, again
}

// finish is the end of a deleted Pod's listener: no new connections, then no
// open ones.
func (p *pod) finish(life context.Context) {
	within, cancel := context.WithDeadline(life, p.deleted.Add(p.grace()))
	defer cancel()
	if p.behaviour.CutOnStop {
		p.server.Close()
		p.record(EventStopped, "cut")
	} else {
		p.server.StopAccepting()
		p.record(EventStopped, "")
		if err := p.server.Drain(within); err != nil && !errors.Is(err, context.DeadlineExceeded) && life.Err() == nil {
			p.record(EventFailed, err.Error())
		}
		p.server.Close()
	}
}

// remove deletes the object for good, as often as it takes.
func (p *pod) remove(ctx context.Context) {
	for {
		err := p.kubelet.config.Client.CoreV1().Pods(p.object.Namespace).Delete(ctx, p.object.Name, metav1.DeleteOptions{
			GracePeriodSeconds: ptr.To(int64(0)),
			Preconditions:      &metav1.Preconditions{UID: &p.uid},
		})
		if err == nil || apierrors.IsNotFound(err) || apierrors.IsConflict(err) || pause.For(ctx, retryEvery) != nil {
			return
		}
	}
}

// gone lets go of everything.
func (p *pod) gone() {
	if p.server != nil {
		p.server.Close()
		p.record(EventGone, "")
	}
	p.releaseAddresses()
}

func (p *pod) releaseAddresses() {
	for _, a := range p.addresses {
		if err := p.kubelet.config.Addresses.Remove(a); err != nil {
			p.record(EventFailed, err.Error())
		}
	}
	p.kubelet.pool.release(p.addresses)
	p.addresses = nil
}

// grace is what the API server granted when the Pod was deleted.
func (p *pod) grace() time.Duration {
	return time.Duration(ptr.Deref(p.object.DeletionGracePeriodSeconds, 0)) * time.Second
}

func (p *pod) serveFor() time.Duration { return min(p.behaviour.ServeAfterDeletion, p.grace()) }

func (p *pod) identity() Identity {
	return Identity{
		Name: p.object.Name, Namespace: p.object.Namespace, UID: string(p.uid),
		Node: p.node.Name, Zone: p.node.Zone,
	}
}

func (p *pod) record(event, message string) {
	e := Event{
		Event: event, Namespace: p.object.Namespace, Name: p.object.Name, UID: string(p.uid),
		Node: p.node.Name, IPs: slices.Clone(p.addresses), Message: message,
	}
	if p.server != nil {
		requests, last := p.server.Served()
		if e.Requests = requests; requests > 0 {
			e.LastRequest = &last
		}
	}
	p.kubelet.config.Events.Record(e)
}

// podPorts are the TCP ports that the containers say they listen on.
func podPorts(object *v1.Pod) []uint16 {
	var ports []uint16
	for _, container := range object.Spec.Containers {
		for _, port := range container.Ports {
			if port.Protocol == v1.ProtocolTCP || port.Protocol == "" {
				ports = append(ports, uint16(port.ContainerPort))
			}
		}
	}
	slices.Sort(ports)
	return slices.Compact(ports)
}
