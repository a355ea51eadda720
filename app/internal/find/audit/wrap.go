package audit

import (
	"bytes"
	"strings"
)

// wrapper handles the keys that are not an audit event's own: those with which
// collectors and clouds wrap events. Everything else is skipped.
func (d *decoder) wrapper(c *cursor, f *fields, key []byte, depth int) bool {
	if depth >= maxNesting {
		return c.skip()
	}
	switch string(key) {
	// Lists: EventList and webhook batches; Azure; CloudWatch's subscription,
	// filter-log-events and get-query-results.
	case "items", "records", "logEvents", "events", "results":
		return d.list(c, depth)
	// Objects: Cloud Logging of a self-made cluster, Splunk, Elasticsearch.
	case "jsonPayload", "event", "_source":
		if c.peek() == '{' {
			return d.nested(c, depth)
		}
	// Strings: CloudWatch, Docker and CRI collectors, Cloud Logging, Loki.
	case "message", "@message", "log", "line", "textPayload", "_raw":
		return d.embedded(c, depth)
	case "field": // CloudWatch Logs Insights writes a row as field and value
		return d.intern(c, &f.element)
	case "value":
		if f.element == "@message" {
			return d.embedded(c, depth)
		}
	case "category":
		s, ok := c.textOrSkip()
		if string(s) == "kube-audit-admin" {
			d.seen.AzureAdmin++
		}
		return ok
	case "properties": // Azure
		return c.object(func(key []byte) bool {
			if string(key) == "log" {
				return d.embedded(c, depth)
			}
			return c.skip()
		})
	case "protoPayload":
		f.google = true
		return d.protoPayload(c, f)
	case "insertId", "timestamp", "labels", "operation", "logName":
		return d.entry(c, f, key)
	}
	return c.skip()
}

func (d *decoder) list(c *cursor, depth int) bool {
	return c.array(func() bool {
		switch c.peek() {
		case '{':
			return d.nested(c, depth)
		case '[':
			if depth+1 < maxNesting {
				return d.list(c, depth+1)
			}
		}
		return c.skip()
	})
}

// nested decodes an object inside of another. It is passed whole first, since
// decoding ends early where an event is about something else.
func (d *decoder) nested(c *cursor, depth int) bool {
	start := c.i
	if !c.skip() {
		return false
	}
	if text := c.b[start:c.i]; hasNeedle(text) {
		d.record(text, depth+1)
	}
	return true
}

// embedded decodes an event that is a string. Strings without an event are the
// other lines of the same stream, klog's for one.
func (d *decoder) embedded(c *cursor, depth int) bool {
	switch c.peek() {
	case '{':
		return d.nested(c, depth)
	case '"':
	default:
		return c.skip()
	}
	s, escaped, ok := c.raw()
	if !ok {
		return false
	}
	if !hasNeedle(s) {
		return true
	}
	if escaped {
		if s, ok = unescape(nil, s); !ok {
			return false
		}
	}
	i := bytes.IndexByte(s, '{')
	if i < 0 {
		d.seen.Text++
	} else if v, _ := d.record(s[i:], depth+1); v == broken {
		d.seen.Text++
	}
	return true
}

// protoPayload reads Google's AuditLog. It has no object reference: the method
// names group, version, resource and verb, the resource name the rest.
func (d *decoder) protoPayload(c *cursor, f *fields) bool {
	var method, resourceName string
	ok := c.object(func(key []byte) bool {
		switch string(key) {
		case "authenticationInfo":
			return c.object(func(key []byte) bool {
				if string(key) == "principalEmail" {
					return d.intern(c, &f.User)
				}
				return c.skip()
			})
		case "requestMetadata":
			return c.object(func(key []byte) bool {
				switch string(key) {
				case "callerIp":
					return d.intern(c, &f.SourceIP)
				case "callerSuppliedUserAgent":
					return d.intern(c, &f.UserAgent)
				}
				return c.skip()
			})
		case "methodName":
			return d.intern(c, &method)
		case "resourceName":
			return d.intern(c, &resourceName)
		case "status":
			return c.object(func(key []byte) bool {
				if string(key) != "code" {
					return c.skip()
				}
				n, ok := c.number()
				f.grpcCode = n
				return ok
			})
		}
		return c.skip()
	})
	googleObject(f, method, resourceName)
	return ok
}

// googleObject takes "io.k8s.core.v1.endpoints.list" and
// "core/v1/namespaces/prod/endpoints/web" apart. A request for all namespaces
// has the name "core/v1/endpoints".
func googleObject(f *fields, method, name string) {
	rest, ok := strings.CutPrefix(method, "io.k8s.")
	if !ok {
		return
	}
	group, rest, ok := cutVersion(rest)
	if !ok {
		return
	}
	resource, verb, ok := strings.Cut(rest, ".")
	if !ok {
		return
	}
	switch group {
	case "core":
		group = ""
	case "discovery":
		group = "discovery.k8s.io"
	}
	// A subresource is between them: endpoints.status.update.
	f.Resource = parseResource(group, resource, "")
	if strings.Contains(verb, ".") {
		f.Resource = 0
	}
	f.Verb = knownVerb([]byte(verb))
	f.Namespace, f.Name = "", ""
	parts := strings.Split(name, "/")
	for i, part := range parts {
		switch {
		case part == "namespaces" && i+1 < len(parts) && f.Namespace == "":
			f.Namespace = parts[i+1]
		case part == resource && i+1 < len(parts) && i >= 2:
			f.Name = parts[i+1]
		}
	}
}

// cutVersion cuts "core.v1.endpoints.list" into "core" and "endpoints.list".
func cutVersion(s string) (group, rest string, ok bool) {
	for i := 0; i+2 < len(s); i++ {
		if s[i] == '.' && s[i+1] == 'v' && s[i+2] >= '0' && s[i+2] <= '9' {
			_, rest, ok = strings.Cut(s[i+1:], ".")
			return s[:i], rest, ok
		}
	}
	return "", "", false
}

// entry reads the fields of Google's LogEntry beside the payload.
func (d *decoder) entry(c *cursor, f *fields, key []byte) bool {
	switch string(key) {
	case "timestamp":
		s, ok := c.textOrSkip()
		f.At = parseTime(s)
		return ok
	case "labels":
		return d.reason(c, f)
	case "logName":
		s, ok := c.textOrSkip()
		switch {
		case bytes.HasSuffix(s, []byte("data_access")):
			d.seen.GoogleReads++
		case bytes.HasSuffix(s, []byte("activity")):
			d.seen.GoogleWrites++
		}
		return ok
	case "insertId":
		if f.ID != "" {
			return c.skip()
		}
		return d.copied(c, &f.ID)
	case "operation":
		return c.object(func(key []byte) bool {
			switch string(key) {
			case "id":
				return d.copied(c, &f.operationID)
			case "first":
				f.first = c.peek() == 't'
			case "last":
				f.last = c.peek() == 't'
			}
			return c.skip()
		})
	}
	return c.skip()
}

// finishGoogle maps an entry onto an event: the operation's ID is the audit ID,
// and an operation that has begun and not ended is an open watch.
func finishGoogle(f *fields) {
	if f.operationID != "" {
		f.ID = f.operationID
	}
	f.Received = f.At
	f.Stage = responseComplete
	if f.first && !f.last {
		f.Stage = responseStarted
	}
	f.Code = httpCode(f.grpcCode)
}

// httpCode maps the google.rpc.Code of a status onto the HTTP code that the API
// server answered with.
func httpCode(grpc int) int {
	switch grpc {
	case 0:
		return 200
	case 5:
		return 404
	case 6, 10:
		return 409
	case 7:
		return 403
	case 8:
		return 429
	case 16:
		return 401
	}
	return 500
}
