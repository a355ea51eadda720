package audit

import "bytes"

// needle is in every line about Endpoints or EndpointSlices, in every
// format: in objectRef, in the request's path, in Google's method name, and
// also where the event is a JSON string inside of JSON. Lines without it are
// never decoded.
var needle = []byte("endpoints")

// indexNeedle returns where the needle is in b, -1 if it does not.
//
// bytes.Index jumps from one first byte of its argument to the next, and in the
// JSON of a log every seventeenth byte is an e. A d is rarer, and dp nearly
// never anything else: searching for the rest of the word is four times as fast.
func indexNeedle(b []byte) int {
	const cut = 2
	for base := cut; base < len(b); {
		i := bytes.Index(b[base:], needle[cut:])
		if i < 0 {
			return -1
		}
		if at := base + i - cut; string(b[at:base+i]) == string(needle[:cut]) {
			return at
		}
		base += i + 1
	}
	return -1
}

func hasNeedle(b []byte) bool { return indexNeedle(b) >= 0 }

// maxNesting bounds how deep wrappers may hold wrappers: a Cloud Logging
// element with an Azure record with an event as a string is three.
const maxNesting = 5

// verdict says what a text was.
type verdict uint8

const (
	broken   verdict = iota // no JSON, or JSON that is cut
	other                   // JSON that holds nothing about our resources
	relevant                // at least one event was taken
)

// decoder turns records into events. It is for one goroutine.
type decoder struct {
	events []Event
	// facts about what went by, for the coverage
	seen     sightings
	interned map[string]string
}

// sightings are what a log shows of its own blind spots.
type sightings struct {
	AzureAdmin   int // records of Azure's kube-audit-admin, which has no get and list
	GoogleReads  int // entries of Google's data_access log
	GoogleWrites int // entries of Google's activity log, which has no reads
	Text         int // log lines of other kinds between the events
}

func (s *sightings) add(o sightings) {
	s.AzureAdmin += o.AzureAdmin
	s.GoogleReads += o.GoogleReads
	s.GoogleWrites += o.GoogleWrites
	s.Text += o.Text
}

// line decodes one line: JSON, or JSON after a prefix such as a host name, a
// time stamp or a syslog header. Two events that lost the line end between them
// are both read.
func (d *decoder) line(b []byte) verdict {
	got := broken
	for tries := 0; tries < 3; tries++ {
		i := bytes.IndexByte(b, '{')
		if i < 0 {
			break
		}
		b = b[i:]
		v, rest := d.record(b, 0)
		switch {
		case v == broken:
			b = b[1:] // the brace may have been part of the prefix
		case len(rest) == 0:
			return max(got, v)
		case rest[0] == '{':
			got, b, tries = max(got, v), rest, -1
		case v == relevant:
			return v
		default: // the end of an event whose beginning is missing
			b = rest
		}
	}
	return got
}

// record decodes one JSON object with whatever wrappers it has, and returns what
// follows it. An object about something else is not read to its end.
func (d *decoder) record(b []byte, depth int) (v verdict, rest []byte) {
	c := cursor{b: b}
	before := len(d.events)
	whole, ok := d.object(&c, depth)
	if whole {
		c.space()
		rest = b[c.i:]
	}
	switch {
	case len(d.events) > before:
		return relevant, rest
	case ok:
		return other, rest
	}
	return broken, nil
}

// head decodes the beginning of a line that is too long to be held. In the
// order in which the API server writes fields, all but the times and the
// authorizer's reason come before the request's and the response's object.
func (d *decoder) head(b []byte) verdict {
	i := bytes.IndexByte(b, '{')
	if i < 0 {
		return broken
	}
	c := cursor{b: b[i:]}
	var f fields
	d.fields(&c, &f, maxNesting)
	if f.Code == 0 || !d.take(&f) {
		return other
	}
	return relevant
}

// fields are the parts of one object that an event, or an entry of Google's, is
// made of.
type fields struct {
	Event
	uri        string
	irrelevant bool // about another resource: decoding stops there

	google      bool // the object has a protoPayload
	grpcCode    int
	operationID string
	first, last bool
	element     string // the field that a row of CloudWatch's is about
}

// object reads one object: to its end (whole), or until it is clear that it is
// about something else. Text that is no JSON or is cut is not ok.
func (d *decoder) object(c *cursor, depth int) (whole, ok bool) {
	var f fields
	if !d.fields(c, &f, depth) {
		return false, f.irrelevant
	}
	if f.google {
		finishGoogle(&f)
	}
	d.take(&f)
	return true, true
}

// take appends the event if there is one.
func (d *decoder) take(f *fields) bool {
	if f.Resource == 0 || f.ID == "" || f.Stage == 0 || f.User == "" {
		return false
	}
	f.Shape = shapeOf(f.uri, f.Namespace, f.Name)
	d.events = append(d.events, f.Event)
	return true
}

func (d *decoder) fields(c *cursor, f *fields, depth int) bool {
	if c.peek() != '{' {
		return false
	}
	return c.object(func(key []byte) bool {
		switch string(key) {
		case "auditID":
			return d.copied(c, &f.ID)
		case "stage":
			s, ok := c.textOrSkip()
			f.Stage = parseStage(s)
			return ok
		case "requestURI":
			return d.intern(c, &f.uri)
		case "verb":
			s, ok := c.textOrSkip()
			f.Verb = knownVerb(s)
			return ok
		case "user":
			return d.user(c, f)
		case "impersonatedUser":
			return c.object(func(key []byte) bool {
				if string(key) == "username" {
					return d.intern(c, &f.As)
				}
				return c.skip()
			})
		case "sourceIPs":
			return d.sourceIPs(c, f)
		case "userAgent":
			return d.intern(c, &f.UserAgent)
		case "objectRef":
			if !d.objectRef(c, f) {
				return false
			}
			// What follows in the line can be megabytes of another object.
			f.irrelevant = f.Resource == 0
			return !f.irrelevant
		case "responseStatus":
			f.Code = 0
			return c.object(func(key []byte) bool {
				if string(key) != "code" {
					return c.skip()
				}
				n, ok := c.number()
				f.Code = n
				return ok
			})
		case "requestReceivedTimestamp":
			s, ok := c.textOrSkip()
			f.Received = parseTime(s)
			return ok
		case "stageTimestamp":
			s, ok := c.textOrSkip()
			f.At = parseTime(s)
			return ok
		case "annotations":
			return d.reason(c, f)
		}
		return d.wrapper(c, f, key, depth)
	})
}

func (d *decoder) user(c *cursor, f *fields) bool {
	f.User, f.Pod, f.Masters = "", "", false
	return c.object(func(key []byte) bool {
		switch string(key) {
		case "username":
			return d.intern(c, &f.User)
		case "groups":
			return c.array(func() bool {
				s, ok := c.textOrSkip()
				f.Masters = f.Masters || string(s) == "system:masters"
				return ok
			})
		case "extra":
			return c.object(func(key []byte) bool {
				if string(key) != "authentication.kubernetes.io/pod-name" {
					return c.skip()
				}
				return c.array(func() bool { return d.intern(c, &f.Pod) })
			})
		}
		return c.skip()
	})
}

// sourceIPs keeps the first address, which is the client's own word if it came
// through a proxy: it is shown, and nothing depends on it.
func (d *decoder) sourceIPs(c *cursor, f *fields) bool {
	f.SourceIP = ""
	return c.array(func() bool {
		if f.SourceIP != "" {
			return c.skip()
		}
		return d.intern(c, &f.SourceIP)
	})
}

func (d *decoder) objectRef(c *cursor, f *fields) bool {
	var group, resource, subresource string
	f.Namespace, f.Name = "", ""
	ok := c.object(func(key []byte) bool {
		switch string(key) {
		case "resource":
			return d.intern(c, &resource)
		case "apiGroup":
			return d.intern(c, &group)
		case "subresource":
			return d.intern(c, &subresource)
		case "namespace":
			return d.intern(c, &f.Namespace)
		case "name":
			return d.intern(c, &f.Name)
		}
		return c.skip()
	})
	f.Resource = parseResource(group, resource, subresource)
	return ok
}

// reason reads the annotation in which the authorizer names the binding.
func (d *decoder) reason(c *cursor, f *fields) bool {
	return c.object(func(key []byte) bool {
		if string(key) == "authorization.k8s.io/reason" {
			return d.intern(c, &f.Reason)
		}
		return c.skip()
	})
}

// maxInterned bounds the table of strings, which a hostile client could fill
// with a new user agent a request.
const maxInterned = 1 << 14

// intern reads a string of which there are few different ones in a log.
func (d *decoder) intern(c *cursor, to *string) bool {
	s, ok := c.textOrSkip()
	if !ok {
		return false
	}
	if len(s) == 0 {
		*to = ""
		return true
	}
	known, hit := d.interned[string(s)]
	if !hit {
		known = string(s)
		if d.interned == nil || len(d.interned) >= maxInterned {
			d.interned = make(map[string]string)
		}
		d.interned[known] = known
	}
	*to = known
	return true
}

// copied reads a string that is different in each event.
func (d *decoder) copied(c *cursor, to *string) bool {
	s, ok := c.textOrSkip()
	*to = string(s)
	return ok
}
