package audit

import (
	"encoding/hex"
	"hash/fnv"
	"strings"
	"time"
)

// Event is what find needs of one audit event.
type Event struct {
	ID        string    `json:"id"`
	Stage     Stage     `json:"stage"`
	Verb      string    `json:"verb"`
	User      string    `json:"user"`
	As        string    `json:"as,omitempty"` // the impersonated user
	Masters   bool      `json:"masters,omitempty"`
	UserAgent string    `json:"userAgent,omitempty"`
	Pod       string    `json:"pod,omitempty"` // name only; its namespace is the ServiceAccount's
	SourceIP  string    `json:"sourceIP,omitempty"`
	Resource  Resource  `json:"resource"`
	Namespace string    `json:"namespace,omitempty"` // "" is all namespaces
	Name      string    `json:"name,omitempty"`
	Shape     Shape     `json:"shape,omitempty"`
	Code      int       `json:"code,omitempty"` // HTTP status; 0 if the event has no status
	Reason    string    `json:"reason,omitempty"`
	Received  time.Time `json:"received,omitzero"` // when the request came in
	At        time.Time `json:"at,omitzero"`       // when this stage was reached
	// Times is how many such requests an aggregated row counts; 0 means one.
	Times int `json:"times,omitempty"`
}

func (e *Event) times() int { return max(1, e.Times) }

// Stage is the point of a request at which an event was written.
type Stage uint8

// The stages. The zero value is an unknown one.
const (
	requestReceived Stage = iota + 1
	responseStarted
	responseComplete
	panicked
)

func parseStage(s []byte) Stage {
	switch string(s) {
	case "RequestReceived":
		return requestReceived
	case "ResponseStarted":
		return responseStarted
	case "ResponseComplete":
		return responseComplete
	case "Panic":
		return panicked
	}
	return 0
}

// Resource is one of the two resources that matter here.
type Resource uint8

// The resources. The zero value is any other.
const (
	Endpoints Resource = iota + 1
	EndpointSlices
)

// parseResource tells the core group's endpoints and discovery's endpointslices
// from equally named resources of other groups and from subresources.
func parseResource(group, resource, subresource string) Resource {
	switch {
	case subresource != "":
		return 0
	case resource == "endpoints" && group == "":
		return Endpoints
	case resource == "endpointslices" && group == "discovery.k8s.io":
		return EndpointSlices
	}
	return 0
}

func (r Resource) String() string {
	switch r {
	case Endpoints:
		return "endpoints"
	case EndpointSlices:
		return "endpointslices"
	}
	return "other"
}

// Outcome groups response codes by what they say about the client.
type Outcome uint8

// The outcomes.
const (
	// Allowed is any 2xx: the client got what it asked for.
	Allowed Outcome = iota + 1
	// Refused is 401 and 403: the client wanted to and may not.
	Refused
	// Unsuccessful is everything else, 404 and 429 among them.
	unsuccessful
)

// Outcome returns what became of the request.
func (e *Event) Outcome() Outcome {
	switch {
	case e.Code >= 200 && e.Code < 300:
		return Allowed
	case e.Code == 401 || e.Code == 403:
		return Refused
	default:
		return unsuccessful
	}
}

// Shape is how a request was written: the form of its path and the parameters
// that tell clients apart. It never holds a value, so there are few shapes.
type Shape uint16

// The parts of a shape.
const (
	shapeNamespaced Shape = 1 << iota
	shapeNamed
	shapeWatch
	shapeBookmarks // allowWatchBookmarks: client-go's reflector always asks for them
	shapeInitialEvents
	shapeLabelSelector
	shapeFieldSelector
	shapeLimit
	shapeResourceVersion
)

var shapeParameters = []struct {
	name string
	bit  Shape
}{
	{"watch", shapeWatch},
	{"allowWatchBookmarks", shapeBookmarks},
	{"sendInitialEvents", shapeInitialEvents},
	{"labelSelector", shapeLabelSelector},
	{"fieldSelector", shapeFieldSelector},
	{"limit", shapeLimit},
	{"resourceVersion", shapeResourceVersion},
}

// shapeOf reads the shape from a request URI. The path's form comes from the
// object reference, which also formats without a URI have.
func shapeOf(uri, namespace, name string) Shape {
	var s Shape
	if namespace != "" {
		s |= shapeNamespaced
	}
	if name != "" {
		s |= shapeNamed
	}
	_, query, _ := strings.Cut(uri, "?")
	for query != "" {
		var param string
		param, query, _ = strings.Cut(query, "&")
		key, _, _ := strings.Cut(param, "=")
		for _, p := range shapeParameters {
			if p.name == key {
				s |= p.bit
			}
		}
	}
	return s
}

// path writes the shape as a request for r.
func (s Shape) path(r Resource) string {
	var b strings.Builder
	if r == Endpoints {
		b.WriteString("/api/v1")
	} else {
		b.WriteString("/apis/discovery.k8s.io/v1")
	}
	if s&shapeNamespaced != 0 {
		b.WriteString("/namespaces/{namespace}")
	}
	b.WriteString("/" + r.String())
	if s&shapeNamed != 0 {
		b.WriteString("/{name}")
	}
	sep := "?"
	for _, p := range shapeParameters {
		if s&p.bit != 0 {
			b.WriteString(sep + p.name)
			sep = "&"
		}
	}
	return b.String()
}

// idKey is an audit ID in 16 bytes: the UUID that the API server makes, or a
// hash of what a client sent instead in its Audit-ID header.
type idKey [16]byte

func keyOf(id string) idKey {
	var k idKey
	if len(id) == 36 && id[8] == '-' && id[13] == '-' && id[18] == '-' && id[23] == '-' {
		var digits [32]byte
		copy(digits[0:], id[0:8])
		copy(digits[8:], id[9:13])
		copy(digits[12:], id[14:18])
		copy(digits[16:], id[19:23])
		copy(digits[20:], id[24:36])
		if _, err := hex.Decode(k[:], digits[:]); err == nil {
			return k
		}
	}
	h := fnv.New128a()
	h.Write([]byte(id))
	h.Sum(k[:0])
	return k
}

// knownVerbs bounds what a verb can be, since it becomes a map key and a label.
func knownVerb(v []byte) string {
	switch string(v) {
	case "get":
		return "get"
	case "list":
		return "list"
	case "watch":
		return "watch"
	case "create":
		return "create"
	case "update":
		return "update"
	case "patch":
		return "patch"
	case "delete":
		return "delete"
	case "deletecollection":
		return "deletecollection"
	}
	return "other"
}
