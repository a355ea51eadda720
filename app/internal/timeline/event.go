package timeline

import "time"

// Clock says where an event's moment comes from.
type Clock uint8

// The zero value is Received.
const (
	// Received: measured here, when the event arrived.
	Received Clock = iota
	// Told: the API's own time of the write, mostly in whole seconds. It is used
	// for imported events that say nothing of their arrival.
	Told
	// Carried: the event has no moment of its own, and was given that of the one
	// before it. The order is right, the moment is a lower bound.
	Carried
)

var clockNames = [...]string{"received", "api", "carried"}

// String returns "received", "api" or "carried".
func (c Clock) String() string { return nameOf(clockNames[:], int(c)) }

// MarshalText implements encoding.TextMarshaler.
func (c Clock) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// Op is what happened to the object of an event.
type Op uint8

// The zero value is no operation.
const (
	// Added, Modified and Deleted are the watch's own.
	Added Op = iota + 1
	Modified
	Deleted
	// Listed: a list found it new or changed. When it changed is not known.
	Listed
	// Missing: a list found it gone. When it went is not known.
	Missing
	// Restated: nothing happened; the object is as it was, written again so that
	// a part of the recording can be read without what came before.
	Restated
)

var opNames = [...]string{"", "added", "modified", "deleted", "listed", "missing", "restated"}

// String returns the operation's name in lower case.
func (o Op) String() string { return nameOf(opNames[:], int(o)) }

// Gone reports whether the object no longer exists after the operation.
func (o Op) Gone() bool { return o == Deleted || o == Missing }

func nameOf(names []string, i int) string {
	if i < len(names) {
		return names[i]
	}
	return "unknown"
}

// Event is one thing that happened. Exactly one of Slice, Pod, Service, Gap and
// Observation is set.
type Event struct {
	// Seq orders the events of one recording, without ties.
	Seq int64
	// At never goes back from one event to the next.
	At    time.Time
	Clock Clock
	Op    Op // 0 for a Gap and an Observation

	Slice       *SliceChange
	Pod         *Pod
	Service     *Service
	Gap         *Gap
	Observation *Observation
}

// Gap is a time in which a watch was down. It is told twice: when it begins, so
// that not even a killed recorder leaves a smooth line, and when it ends.
type Gap struct {
	// To is zero where the gap begins.
	From, To time.Time
	// Resource is "endpointslices", "pods" or "services".
	Resource string
	// Namespace is "" for a watch over all namespaces.
	Namespace string
	// Lost is true where changes may be missing: the watch could not go on where
	// it stopped, and a list gave only the outcome. Where it is false every change
	// arrived, but late.
	Lost bool
	// Reason is why the watch ended, in words.
	Reason string
}

// ObservationKind is what a consumer did.
type ObservationKind uint8

// The kinds of an observation.
const (
	// Connection: the consumer opened new connections to the endpoint.
	Connection ObservationKind = iota + 1
	// Request: requests went to the endpoint, on new or old connections.
	Request
	// Failure: requests to the endpoint failed; Detail says how.
	Failure
)

var observationNames = [...]string{"", "connection", "request", "failure"}

// String returns "connection", "request" or "failure".
func (k ObservationKind) String() string { return nameOf(observationNames[:], int(k)) }

// MarshalText implements encoding.TextMarshaler.
func (k ObservationKind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// Observation is what one consumer was seen to do with one endpoint in a time.
// A consumer and endpoint can have many.
type Observation struct {
	Consumer  string
	Namespace string
	Service   string
	// Address and Port are the endpoint's.
	Address string
	Port    uint16
	Kind    ObservationKind
	// First and Last bound the time; for one connection they are equal.
	First, Last time.Time
	// Count is the number of connections, requests or failures that it is
	// about.
	Count int64
	// Detail is free text: the error of a failure.
	Detail string
}
