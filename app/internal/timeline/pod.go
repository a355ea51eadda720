package timeline

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/slicewright/slicewright/endpointset"
)

// Pod is what a Pod says of itself at one moment.
type Pod struct {
	Namespace, Name, UID string
	ResourceVersion      string
	Node                 string
	// IPs are all addresses of the Pod, joined by commas.
	IPs         string
	HostNetwork bool
	Phase       string
	// Ready is the Pod's own Ready condition, and ReadySince its last transition
	// as the API tells it.
	Ready      Condition
	ReadySince time.Time
	// GraceEnds is metadata.deletionTimestamp: the API sets it to the moment of
	// the request plus the grace period, so it is when the grace ends. It is zero
	// for a Pod whose deletion nobody asked for.
	GraceEnds time.Time
	// Grace is metadata.deletionGracePeriodSeconds, or before a deletion the
	// spec's terminationGracePeriodSeconds.
	Grace time.Duration
	// Stopped is when the last of its containers ended, as the API tells it; zero
	// while one runs.
	Stopped time.Time
	// Written is the newest time among the managed fields.
	Written time.Time
}

// PodOf reads the facts of a Pod. It does not keep p.
func PodOf(p *corev1.Pod) Pod {
	pod := Pod{
		Namespace: p.Namespace, Name: p.Name, UID: string(p.UID),
		ResourceVersion: p.ResourceVersion,
		Node:            p.Spec.NodeName,
		HostNetwork:     p.Spec.HostNetwork,
		Phase:           string(p.Status.Phase),
		Written:         newestWrite(&p.ObjectMeta),
		Stopped:         stoppedAt(p),
	}
	ips := make([]string, 0, len(p.Status.PodIPs)+1)
	for _, ip := range p.Status.PodIPs {
		ips = append(ips, ip.IP)
	}
	if p.Status.PodIP != "" && !slices.Contains(ips, p.Status.PodIP) {
		ips = append(ips, p.Status.PodIP)
	}
	pod.IPs = joinList(ips)
	for i := range p.Status.Conditions {
		c := &p.Status.Conditions[i]
		if c.Type != corev1.PodReady {
			continue
		}
		ready := c.Status == corev1.ConditionTrue
		pod.Ready = ConditionOf(&ready)
		pod.ReadySince = micros(c.LastTransitionTime.Time)
	}
	switch {
	case p.DeletionTimestamp != nil:
		pod.GraceEnds = micros(p.DeletionTimestamp.Time)
		if p.DeletionGracePeriodSeconds != nil {
			pod.Grace = seconds(*p.DeletionGracePeriodSeconds)
		}
	case p.Spec.TerminationGracePeriodSeconds != nil:
		pod.Grace = seconds(*p.Spec.TerminationGracePeriodSeconds)
	}
	return pod
}

// DeletionAsked returns when the deletion was asked for as the API tells it, in
// whole seconds; zero when it was not.
func (p Pod) DeletionAsked() time.Time {
	if p.GraceEnds.IsZero() {
		return time.Time{}
	}
	return p.GraceEnds.Add(-p.Grace)
}

// Ended reports whether the Pod will never run again.
func (p Pod) Ended() bool {
	return p.Phase == string(corev1.PodSucceeded) || p.Phase == string(corev1.PodFailed)
}

// IPList returns the Pod's addresses.
func (p Pod) IPList() []string { return splitList(p.IPs) }

// same reports whether nothing but the write itself differs.
func (p Pod) same(q Pod) bool {
	p.ResourceVersion, q.ResourceVersion = "", ""
	p.Written, q.Written = time.Time{}, time.Time{}
	return p == q
}

// stoppedAt returns when the last container ended, if none is left.
func stoppedAt(p *corev1.Pod) time.Time {
	var last time.Time
	for i := range p.Status.ContainerStatuses {
		end := p.Status.ContainerStatuses[i].State.Terminated
		if end == nil {
			return time.Time{}
		}
		if end.FinishedAt.After(last) {
			last = end.FinishedAt.Time
		}
	}
	return micros(last)
}

// Service is what matters of a Service besides its slices.
type Service struct {
	Key             endpointset.ServiceKey
	ResourceVersion string
	// PublishNotReady is spec.publishNotReadyAddresses.
	PublishNotReady bool
	// HasSelector is false for a Service whose slices someone else writes.
	HasSelector bool
	Headless    bool
	Written     time.Time
}

// ServiceOf reads the facts of a Service. It does not keep s.
func ServiceOf(s *corev1.Service) Service {
	return Service{
		Key:             endpointset.ServiceKey{Namespace: s.Namespace, Name: s.Name},
		ResourceVersion: s.ResourceVersion,
		PublishNotReady: s.Spec.PublishNotReadyAddresses,
		HasSelector:     len(s.Spec.Selector) > 0,
		Headless:        s.Spec.ClusterIP == corev1.ClusterIPNone,
		Written:         newestWrite(&s.ObjectMeta),
	}
}

func (s Service) same(t Service) bool {
	s.ResourceVersion, t.ResourceVersion = "", ""
	s.Written, t.Written = time.Time{}, time.Time{}
	return s == t
}

// newestWrite returns the newest time among the managed fields, or the creation
// for an object that nobody has changed since; zero without either.
func newestWrite(m *metav1.ObjectMeta) time.Time {
	newest := m.CreationTimestamp.Time
	for i := range m.ManagedFields {
		if t := m.ManagedFields[i].Time; t != nil && t.After(newest) {
			newest = t.Time
		}
	}
	return micros(newest)
}

// micros is a moment as the database can keep it. Moments that do not fit are
// no moments.
func micros(t time.Time) time.Time {
	if t.IsZero() || t.Year() < 1970 || t.Year() > 9999 {
		return time.Time{}
	}
	return time.UnixMicro(t.UnixMicro()).UTC()
}

// maxGrace keeps a hostile grace period from overflowing a Duration.
const maxGrace = 100 * 365 * 24 * 3600

func seconds(n int64) time.Duration {
	return time.Duration(min(max(n, 0), maxGrace)) * time.Second
}
