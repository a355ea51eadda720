package audit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/slicewright/slicewright/app/internal/find/evidence"
)

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

// request builds an event; second is its time.
func request(id string, stage Stage, verb string, code, second int) *Event {
	at := noon.Add(time.Duration(second) * time.Second)
	return &Event{
		ID: id, Stage: stage, Verb: verb, User: "system:serviceaccount:prod:web", UserAgent: "web/v1",
		Resource: Endpoints, Namespace: "prod", Code: code, Received: at, At: at,
	}
}

func TestARequestCountsOnceOverItsStages(t *testing.T) {
	cases := map[string]struct {
		events []*Event
		verbs  map[string]int
		open   int
	}{
		"a list at its end": {[]*Event{request("a", requestReceived, "list", 0, 0), request("a", responseComplete, "list", 200, 1)}, map[string]int{"list": 1}, 0},
		"an open watch":     {[]*Event{request("a", responseStarted, "watch", 200, 0)}, map[string]int{"watch": 1}, 1},
		"a watch that ended": {
			[]*Event{request("a", responseStarted, "watch", 200, 0), request("a", responseComplete, "watch", 200, 9)},
			map[string]int{"watch": 1},
			0,
		},
		"a watch that began before the log": {[]*Event{request("a", responseComplete, "watch", 200, 9)}, map[string]int{"watch": 1}, 0},
		"stages in the wrong order": {
			[]*Event{request("a", responseComplete, "watch", 200, 9), request("a", responseStarted, "watch", 200, 0)},
			map[string]int{"watch": 1},
			0,
		},
		"a batch sent twice": {
			[]*Event{
				request("a", responseStarted, "watch", 200, 0), request("b", responseComplete, "get", 200, 0),
				request("a", responseStarted, "watch", 200, 0), request("b", responseComplete, "get", 200, 0),
			},
			map[string]int{"watch": 1, "get": 1},
			1,
		},
		"a refused watch": {[]*Event{request("a", responseComplete, "watch", 403, 0)}, map[string]int{}, 0},
		"a panic":         {[]*Event{request("a", panicked, "list", 500, 0)}, map[string]int{}, 0},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			l := NewLedger(Options{})
			for _, e := range c.events {
				l.Add(e)
			}
			f := l.Findings()
			if len(f) != 1 {
				t.Fatalf("%d findings, want one", len(f))
			}
			if d := cmp.Diff(c.verbs, f[0].Verbs); d != "" {
				t.Error(d)
			}
			if got := l.Totals().OpenWatches; got != c.open {
				t.Errorf("%d open watches, want %d", got, c.open)
			}
		})
	}
}

func TestARefusalOnSlicesFollowedByEndpointsIsASilentFallback(t *testing.T) {
	slices := func(code, second int) *Event {
		e := request(fmt.Sprint("s", second), responseComplete, "list", code, second)
		e.Resource = EndpointSlices
		return e
	}
	endpoints := func(code, second int) *Event {
		return request(fmt.Sprint("e", second), responseComplete, "list", code, second)
	}
	cases := map[string]struct {
		events   []*Event
		fallback bool
		status   evidence.Status
	}{
		"refused, then Endpoints":            {[]*Event{slices(403, 1), endpoints(200, 2)}, true, ""},
		"refused, then Endpoints, unordered": {[]*Event{endpoints(200, 2), slices(403, 1)}, true, ""},
		"Endpoints, then refused":            {[]*Event{endpoints(200, 1), slices(403, 2)}, false, ""},
		"both refused":                       {[]*Event{slices(403, 1), endpoints(403, 2)}, false, ""},
		"both allowed":                       {[]*Event{slices(200, 1), endpoints(200, 2)}, false, evidence.Dual},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			l := NewLedger(Options{})
			for _, e := range c.events {
				l.Add(e)
			}
			f := l.Findings()[0]
			if got := evidenceOf(&f, "audit/silent-fallback") != nil; got != c.fallback {
				t.Errorf("silent fallback %v, want %v", got, c.fallback)
			}
			if f.Status != c.status {
				t.Errorf("status %q, want %q", f.Status, c.status)
			}
		})
	}
}

func TestClassFollowsUserAndAgent(t *testing.T) {
	cases := []struct {
		user, agent, verb string
		masters           bool
		want              evidence.Class
	}{
		{"system:apiserver", "kube-apiserver/v1.37.2", "get", true, evidence.Expected},
		{"system:kube-controller-manager", "kube-controller-manager/v1.37.2", "watch", false, evidence.Expected},
		{"system:serviceaccount:kube-system:endpoint-controller", "kube-controller-manager/v1.37.2", "update", false, evidence.Expected},
		{"system:serviceaccount:kube-system:endpoint-controller", "curl/8", "update", false, evidence.Producer},
		{"admin", "kube-controller-manager/v1.37.2", "watch", true, evidence.Expected},
		{"mallory", "kube-controller-manager/v1.37.2", "watch", false, evidence.Reader},
		{"alice", "kubectl/v1.32", "get", false, evidence.Tooling},
		{"system:serviceaccount:prod:cron", "kubectl/v1.32", "get", false, evidence.Reader},
		{"system:serviceaccount:prod:web", "web/v1 (linux/amd64) kubernetes/1/leader-election", "update", false, evidence.Lock},
		{"system:serviceaccount:prod:web", "web/v1", "patch", false, evidence.Producer},
		{"system:serviceaccount:backup:velero", "velero-server/v1", "list", false, evidence.Walker},
	}
	for _, c := range cases {
		t.Run(c.user+" "+c.agent, func(t *testing.T) {
			e := request("a", responseComplete, c.verb, 200, 0)
			e.User, e.UserAgent, e.Masters = c.user, c.agent, c.masters
			l := NewLedger(Options{})
			l.Add(e)
			if got := l.Findings()[0].Class; got != c.want {
				t.Errorf("class %s, want %s", got, c.want)
			}
		})
	}
}

func TestOwnRequestsAreLeftOutInTheOpen(t *testing.T) {
	l := NewLedger(Options{ExcludeUserAgents: []string{"argocd"}})
	for i, agent := range []string{"slicewright/v1.0 (linux)", "argocd/v2", "web/v1"} {
		e := request(fmt.Sprint(i), responseComplete, "list", 200, i)
		e.UserAgent = agent
		l.Add(e)
	}
	if f := l.Findings(); len(f) != 1 || f[0].Subject.UserAgent != "web/v1" {
		t.Errorf("findings %+v, want web alone", f)
	}
	var c evidence.Coverage
	l.cover(&c)
	if !strings.Contains(fmt.Sprint(c.Notes), "2 requests of system:serviceaccount:prod:web") {
		t.Errorf("notes %q do not tell of the two requests and their user", c.Notes)
	}
	if l.Totals().Requests["list"] != 3 {
		t.Error("the API server's metrics count the excluded requests too")
	}
}

// A client that varies its user agent must not be able to fill the memory.
func TestManyUserAgentsOfOneUserAreBounded(t *testing.T) {
	l := NewLedger(Options{})
	for i := range 10 * maxProducts {
		e := request(fmt.Sprint(i), responseComplete, "list", 200, i)
		e.UserAgent = fmt.Sprintf("agent-%d/v1", i)
		e.Shape = Shape(i)
		l.Add(e)
	}
	total := 0
	for _, f := range l.Findings() {
		total += f.Verbs["list"]
	}
	if len(l.identities) != maxProducts+1 || total != 10*maxProducts {
		t.Errorf("%d identities with %d requests, want %d with all %d", len(l.identities), total, maxProducts+1, 10*maxProducts)
	}
	var c evidence.Coverage
	l.cover(&c)
	if !strings.Contains(fmt.Sprint(c.Problems), "more users or user agents") {
		t.Errorf("problems %v do not say so", c.Problems)
	}
}

// Law: where chunks end and how many goroutines decode changes nothing.
func TestChunksDoNotChangeTheResult(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64().Draw(t, "seed")
		r := rand.New(rand.NewPCG(seed, 1))
		var log bytes.Buffer
		lines := rapid.IntRange(1, 60).Draw(t, "lines")
		for i := range lines {
			pad := strings.Repeat("p", r.IntN(300))
			resource := []string{"endpoints", "pods", "endpointslices"}[r.IntN(3)]
			fmt.Fprintf(&log, `{"auditID":"%d","stage":"ResponseComplete","verb":"list","user":{"username":"u%d"},"userAgent":"a/%s","objectRef":{"resource":%q},"responseStatus":{"code":200}}`+"\n",
				i, r.IntN(3), pad, resource)
		}
		if rapid.Bool().Draw(t, "no newline at the end") {
			log.Truncate(log.Len() - 1)
		}
		size := rapid.IntRange(1, 500).Draw(t, "chunk")
		var whole, parts decoder
		var wholeBatch, partsBatch batch
		whole.lines(log.Bytes(), &wholeBatch)
		f := bytes.NewReader(log.Bytes())
		for off := 0; off < log.Len(); off += size {
			lines, head, _, err := chunk(f, int64(off), size, 1<<20, nil)
			if err != nil || head != nil {
				t.Fatalf("chunk at %d: head %d bytes, error %v", off, len(head), err)
			}
			parts.lines(lines, &partsBatch)
		}
		if d := cmp.Diff(whole.events, parts.events); d != "" {
			t.Fatal(d)
		}
		if wholeBatch.records != lines || partsBatch.records != lines {
			t.Fatalf("%d and %d lines, want %d", wholeBatch.records, partsBatch.records, lines)
		}
	})
}

// reference decodes the fields of an event with encoding/json.
func reference(line []byte) (id, verb, user, agent, ns string, code int, ok bool) {
	var m struct {
		AuditID, Verb, UserAgent, Stage string
		User                            struct{ Username string }
		ObjectRef                       struct{ Resource, APIGroup, Subresource, Namespace string }
		ResponseStatus                  struct{ Code int }
	}
	if json.Unmarshal(line, &m) != nil {
		return
	}
	r := parseResource(m.ObjectRef.APIGroup, m.ObjectRef.Resource, m.ObjectRef.Subresource)
	ok = r != 0 && m.AuditID != "" && parseStage([]byte(m.Stage)) != 0 && m.User.Username != ""
	return m.AuditID, knownVerb([]byte(m.Verb)), m.User.Username, m.UserAgent, m.ObjectRef.Namespace, m.ResponseStatus.Code, ok
}

func FuzzLine(f *testing.F) {
	f.Add([]byte(`{"auditID":"a","stage":"ResponseComplete","verb":"get","user":{"username":"u\u00e9\ud83d\ude00"},"objectRef":{"resource":"endpoints","namespace":"n"},"responseStatus":{"code":200}}`))
	f.Add([]byte(`host {"items":[{"auditID":"a"}],"properties":{"log":"{\"a\":1}"}}`))
	f.Add([]byte(`{"protoPayload":{"methodName":"io.k8s.core.v1.endpoints.list","resourceName":"core/v1/namespaces"},"operation":{"id":"x","first":true}}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		var d decoder
		v := d.line(line)
		if !json.Valid(line) || len(line) == 0 || line[0] != '{' {
			return
		}
		if v == broken {
			t.Fatalf("valid JSON taken for broken: %q", line)
		}
		if len(d.events) != 1 || bytes.Contains(line, []byte("protoPayload")) || bytes.Count(line, []byte("auditID")) != 1 {
			return
		}
		// encoding/json takes keys in any case, and the last of equal ones.
		for _, key := range []string{"auditid", "verb", "username", "useragent", "namespace", "code", "user", "objectref", "stage", "responsestatus"} {
			if bytes.Count(bytes.ToLower(line), []byte(`"`+key+`"`)) > 1 {
				return
			}
		}
		id, verb, user, agent, ns, code, ok := reference(line)
		e := d.events[0]
		if ok && (e.ID != id || e.Verb != verb || e.User != user || e.UserAgent != agent || e.Namespace != ns || e.Code != code) {
			t.Fatalf("got %+v, want %q %q %q %q %q %d from %q", e, id, verb, user, agent, ns, code, line)
		}
	})
}

func FuzzDocument(f *testing.F) {
	f.Add([]byte(`{"items":[{"a":[{}]},{"b":"}"}],"c":1}`))
	f.Add([]byte("text [ {\n{\"records\":[[{\"x\":1}]]}\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		var records [][]byte
		s := splitter{max: 1 << 12, record: func(b []byte, whole bool) {
			if len(b) > 1<<12 {
				t.Fatalf("a record of %d bytes", len(b))
			}
			records = append(records, bytes.Clone(b))
		}, cut: func() {}}
		if err := s.split(bytes.NewReader(text)); err != nil {
			t.Fatal(err)
		}
		for _, r := range records {
			if len(r) == 0 || r[0] != '{' {
				t.Fatalf("a record that is no object: %q", r)
			}
		}
	})
}

func FuzzTime(f *testing.F) {
	f.Add("2026-11-30T02:11:26.475152Z")
	f.Add("2024-02-30T02:11:26Z")
	f.Fuzz(func(t *testing.T, s string) {
		want, err := time.Parse(time.RFC3339Nano, s)
		if err != nil {
			want = time.Time{}
		}
		if got := parseTime([]byte(s)); !got.Equal(want) {
			t.Fatalf("%q: got %v, want %v", s, got, want)
		}
	})
}

func FuzzIndexNeedle(f *testing.F) {
	f.Add([]byte("endpoints"))
	f.Add([]byte("dpoints endpoint enddpoints xendpoints"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if got, want := indexNeedle(b), bytes.Index(b, needle); got != want {
			t.Fatalf("%d, want %d, in %q", got, want, b)
		}
	})
}
