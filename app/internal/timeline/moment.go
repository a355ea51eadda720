package timeline

import (
	"net/netip"
	"time"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
)

// rfc3339Micro is the API's MicroTime; the database keeps microseconds.
const rfc3339Micro = "2006-01-02T15:04:05.000000Z07:00"

// triggerTime reads the annotation last-change-trigger-time: when the Pod or
// Service changed that made the controller write. Zero when absent or unreadable.
func triggerTime(s *discoveryv1.EndpointSlice) time.Time {
	text, ok := s.Annotations[corev1.EndpointsLastChangeTriggerTime]
	if !ok {
		return time.Time{}
	}
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return time.Time{}
	}
	return micros(t)
}

// ToldBySlice returns the newest moment that a slice tells of itself: its last
// write, or what triggered it. Zero where it tells none.
func ToldBySlice(s *discoveryv1.EndpointSlice) time.Time {
	return later(newestWrite(&s.ObjectMeta), triggerTime(s))
}

func parseAddr(text string) (netip.Addr, error) { return netip.ParseAddr(text) }
