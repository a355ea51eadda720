package clitest

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

const (
	shadowEndpoints = `{"apiVersion":"v1","kind":"Endpoints","metadata":{"name":"prices","namespace":"shop"},"subsets":[{"addresses":[{"ip":"%s"}],"ports":[{"name":"http","port":8080}]}]}`
	shadowSlice     = `{"apiVersion":"discovery.k8s.io/v1","kind":"EndpointSlice","metadata":{"name":"prices-a","namespace":"shop","labels":{"kubernetes.io/service-name":"prices","endpointslice.kubernetes.io/managed-by":"endpointslice-controller.k8s.io"}},"addressType":"IPv4","ports":[{"name":"http","port":8080}],"endpoints":[{"addresses":["10.0.0.1"]}]}`
)

// ShadowObjects are Endpoints with one address and a slice with 10.0.0.1, of one
// Service.
func ShadowObjects(ip string) string { return fmt.Sprintf(shadowEndpoints, ip) + "\n" + shadowSlice }

// A ShadowServer answers lists of one Endpoints object and one slice, and
// watches by silence; it refuses what it is told to.
type ShadowServer struct {
	*httptest.Server
	// IP is the address in the Endpoints; the slice always has 10.0.0.1.
	IP string
	// Refused is the resource that it answers with 403.
	Refused string

	mu    sync.Mutex
	asked []string
}

// NewShadowServer starts a server that lasts as long as the test.
func NewShadowServer(t *testing.T) *ShadowServer {
	s := &ShadowServer{IP: "10.0.0.1"}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

// ServeHTTP implements http.Handler.
func (s *ShadowServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	resource := r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:]
	s.mu.Lock()
	s.asked = append(s.asked, resource)
	s.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	status := func(code int, reason string) {
		w.WriteHeader(code)
		fmt.Fprintf(w, `{"apiVersion":"v1","kind":"Status","status":"Failure","reason":%q,"code":%d,"message":"not here"}`, reason, code)
	}
	switch {
	case resource == s.Refused:
		status(http.StatusForbidden, "Forbidden")
	case r.URL.Query().Get("sendInitialEvents") == "true":
		status(http.StatusUnprocessableEntity, "Invalid") // as an older server does: then it is listed
	case r.URL.Query().Get("watch") != "":
		w.WriteHeader(http.StatusOK)
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	default:
		var items string
		kind := map[string]string{
			"endpoints": "v1 EndpointsList", "endpointslices": "discovery.k8s.io/v1 EndpointSliceList",
			"services": "v1 ServiceList", "pods": "v1 PodList", "nodes": "v1 NodeList",
		}[resource]
		switch resource {
		case "endpoints":
			items = fmt.Sprintf(shadowEndpoints, s.IP)
		case "endpointslices":
			items = shadowSlice
		case "selfsubjectaccessreviews":
			fmt.Fprint(w, `{"apiVersion":"authorization.k8s.io/v1","kind":"SelfSubjectAccessReview","spec":{},"status":{"allowed":true}}`)
			return
		case "services":
			items = `{"metadata":{"name":"prices","namespace":"shop","uid":"u"},"spec":{}}`
		}
		version, kind, _ := strings.Cut(kind, " ")
		fmt.Fprintf(w, `{"apiVersion":%q,"kind":%q,"metadata":{"resourceVersion":"7"},"items":[%s]}`, version, kind, items)
	}
}

// WaitFor returns when the server has been asked for all of the resources.
func (s *ShadowServer) WaitFor(t *testing.T, resources []string) {
	t.Helper()
	deadline := time.Now().Add(time.Minute) // a loaded machine is slow
	for slices.ContainsFunc(resources, func(r string) bool { return !slices.Contains(s.Resources(), r) }) {
		if time.Now().After(deadline) {
			t.Fatalf("asked for %v, and never for all of %v", s.Resources(), resources)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// Resources returns what was asked for, each once.
func (s *ShadowServer) Resources() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Compact(slices.Sorted(slices.Values(s.asked)))
}
