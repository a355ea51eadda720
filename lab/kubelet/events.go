package kubelet

import (
	"encoding/json"
	"io"
	"net/netip"
	"sync"
	"time"
)

// The moments in a Pod's life that the event log records.
const (
	EventListening   = "listening"   // accepts connections
	EventReady       = "ready"       // wrote a true Ready condition
	EventNotReady    = "not-ready"   // wrote a false one
	EventTerminating = "terminating" // saw the deletionTimestamp
	EventStopped     = "stopped"     // accepts no more connections
	EventGone        = "gone"        // address removed, nothing open
	EventFailed      = "failed"      // could not do what it was told
)

// Event is one line of the event log.
type Event struct {
	Time      time.Time    `json:"time"`
	Event     string       `json:"event"`
	Namespace string       `json:"namespace,omitempty"`
	Name      string       `json:"name"`
	UID       string       `json:"uid,omitempty"`
	Node      string       `json:"node,omitempty"`
	IPs       []netip.Addr `json:"ips,omitempty"`
	// Requests and LastRequest are what the Pod had served by then.
	Requests    int64      `json:"requests,omitempty"`
	LastRequest *time.Time `json:"lastRequest,omitempty"`
	Message     string     `json:"message,omitempty"`
}

// maxEvents bounds the events kept in memory; the file has all of them.
const maxEvents = 100_000

// EventLog is what the Pods did and when, as JSON lines and in memory. Its
// methods may be called concurrently.
type EventLog struct {
	mu     sync.Mutex
	w      io.Writer // guarded by mu
	events []Event   // guarded by mu
}

// NewEventLog returns a log that writes to w, which may be nil.
func NewEventLog(w io.Writer) *EventLog { return &EventLog{w: w} }

// Record adds e and gives it the time.
func (l *EventLog) Record(e Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	// Under the lock, so that the log's order is that of its times.
	e.Time = time.Now()
	if len(l.events) == maxEvents {
		l.events = append(l.events[:0], l.events[maxEvents/2:]...)
	}
	l.events = append(l.events, e)
	if l.w != nil {
		// The file is there for people; losing a line of it stops no Pod.
		_ = json.NewEncoder(l.w).Encode(e)
	}
}

// Since returns the events after t, oldest first.
func (l *EventLog) Since(t time.Time) []Event {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, e := range l.events {
		if e.Time.After(t) {
			return append([]Event(nil), l.events[i:]...)
		}
	}
	return nil
}
