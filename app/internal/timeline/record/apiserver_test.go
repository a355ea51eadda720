package record

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// scriptedServer answers lists and watches as a test tells it to. It does the
// one thing that a real API server does not do on command: break.
type scriptedServer struct {
	*httptest.Server
	mu      sync.Mutex
	lists   map[string][]string // by resource: the JSON of its items
	version int
	status  map[string]int // by resource: an HTTP status to answer with
	asked   []string       // "resource resourceVersion" of every watch
	// watches pass events to the open watch of a resource, or to the next one.
	watches map[string]chan string
}

// endWatch ends a watch in order.
const endWatch = "end"

func newScriptedServer(t *testing.T) *scriptedServer {
	s := &scriptedServer{lists: map[string][]string{}, version: 100, status: map[string]int{}, watches: map[string]chan string{}}
	for _, r := range []string{"services", "endpointslices", "pods"} {
		s.watches[r] = make(chan string, 100)
	}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s
}

func (s *scriptedServer) client(t *testing.T) kubernetes.Interface {
	t.Helper()
	client, err := kubernetes.NewForConfig(&rest.Config{Host: s.URL, QPS: -1})
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func (s *scriptedServer) set(resource string, items ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.version += 10
	s.lists[resource] = items
}

func (s *scriptedServer) fail(resource string, status int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.status[resource] = status
}

func (s *scriptedServer) send(resource, kind, object string) {
	s.watches[resource] <- fmt.Sprintf(`{"type":%q,"object":%s}`, kind, object)
}

func (s *scriptedServer) watched() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string{}, s.asked...)
}

func (s *scriptedServer) serve(w http.ResponseWriter, r *http.Request) {
	resource := r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:]
	query := r.URL.Query()
	watch := query.Get("watch") != ""
	s.mu.Lock()
	status, items, version := s.status[resource], s.lists[resource], s.version
	if watch {
		s.asked = append(s.asked, resource+" "+query.Get("resourceVersion"))
	}
	s.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	switch {
	case status != 0:
		reason := map[int]string{403: "Forbidden", 410: "Expired", 500: "InternalError"}[status]
		w.WriteHeader(status)
		fmt.Fprintf(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","code":%d,"reason":%q,"message":"no"}`, status, reason)
	case watch:
		s.stream(w, r, s.watches[resource])
	default:
		fmt.Fprint(w, listJSON(resource, version, items))
	}
}

func listJSON(resource string, version int, items []string) string {
	kind, api := "PodList", "v1"
	switch resource {
	case "services":
		kind = "ServiceList"
	case "endpointslices":
		kind, api = "EndpointSliceList", "discovery.k8s.io/v1"
	}
	list := make([]json.RawMessage, 0, len(items))
	for _, i := range items {
		list = append(list, json.RawMessage(i))
	}
	text, err := json.Marshal(map[string]any{
		"kind": kind, "apiVersion": api, "metadata": map[string]string{"resourceVersion": fmt.Sprint(version)}, "items": list,
	})
	if err != nil {
		panic(err)
	}
	return string(text)
}

func (s *scriptedServer) stream(w http.ResponseWriter, r *http.Request, lines <-chan string) {
	w.WriteHeader(http.StatusOK)
	w.(http.Flusher).Flush()
	for {
		select {
		case line := <-lines:
			if line == endWatch {
				return
			}
			fmt.Fprintln(w, line)
			w.(http.Flusher).Flush()
		case <-r.Context().Done():
			return
		}
	}
}

func serviceJSON(name string, version int, labels string) string {
	return fmt.Sprintf(`{"kind":"Service","apiVersion":"v1","metadata":{"namespace":"t","name":%q,"resourceVersion":"%d","labels":{%s}},
		"spec":{"selector":{"app":%q}}}`, name, version, labels, name)
}

func podJSON(name, app, ip string, version int, ready string) string {
	return fmt.Sprintf(`{"kind":"Pod","apiVersion":"v1","metadata":{"namespace":"t","name":%q,"uid":"uid-%s","resourceVersion":"%d","labels":{"app":%q}},
		"status":{"phase":"Running","podIP":%q,"conditions":[{"type":"Ready","status":%q}]}}`, name, name, version, app, ip, ready)
}

// sliceJSON takes its endpoints as "IP=POD".
func sliceJSON(name, service string, version int, endpoints ...string) string {
	list := make([]string, 0, len(endpoints))
	for _, e := range endpoints {
		ip, pod, _ := strings.Cut(e, "=")
		list = append(list, fmt.Sprintf(`{"addresses":[%q],"conditions":{"ready":true},
			"targetRef":{"kind":"Pod","namespace":"t","name":%q,"uid":"uid-%s"}}`, ip, pod, pod))
	}
	return fmt.Sprintf(`{"kind":"EndpointSlice","apiVersion":"discovery.k8s.io/v1",
		"metadata":{"namespace":"t","name":%q,"resourceVersion":"%d","labels":{"kubernetes.io/service-name":%q}},
		"addressType":"IPv4","endpoints":[%s],"ports":[{"name":"http","port":8080}]}`, name, version, service, strings.Join(list, ","))
}
