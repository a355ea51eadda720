// Package apitest is an API server reduced to lists, for tests of what reads
// them: pages, continuations that expire, metadata only, and refusals. What a
// real one does more is tested against a real one.
package apitest

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// Server serves lists of the objects it was given.
type Server struct {
	URL string
	// Forbidden are resources that may not be listed over all namespaces;
	// ForbiddenAnywhere in none.
	Forbidden, ForbiddenAnywhere map[string]bool
	// ExpireOnce are resources whose next continuation is answered 410.
	ExpireOnce map[string]bool
	// Broken are resources answered with 500.
	Broken map[string]bool

	objects map[string][]map[string]any

	mu       sync.Mutex
	requests []Request
}

// Request is one request that a Server has had.
type Request struct {
	Method, Path, UserAgent, Limit string
	MetadataOnly                   bool
}

// plural names the resources of the kinds that are served.
var plural = map[string]string{
	"Pod": "pods", "Service": "services", "ServiceAccount": "serviceaccounts", "Endpoints": "endpoints",
	"ReplicationController": "replicationcontrollers", "Deployment": "deployments", "StatefulSet": "statefulsets",
	"DaemonSet": "daemonsets", "ReplicaSet": "replicasets", "Job": "jobs", "CronJob": "cronjobs",
	"Role": "roles", "ClusterRole": "clusterroles", "RoleBinding": "rolebindings",
	"ClusterRoleBinding": "clusterrolebindings", "EndpointSlice": "endpointslices",
}

// New serves objects, given as decoded JSON with their apiVersion and kind, until
// the test ends.
func New(t *testing.T, objects []map[string]any) *Server {
	t.Helper()
	s := &Server{
		Forbidden: map[string]bool{}, ForbiddenAnywhere: map[string]bool{},
		ExpireOnce: map[string]bool{}, Broken: map[string]bool{},
		objects: map[string][]map[string]any{},
	}
	for _, o := range objects {
		kind, _ := o["kind"].(string)
		if plural[kind] == "" {
			t.Fatalf("apitest serves no %q", kind)
		}
		s.objects[plural[kind]] = append(s.objects[plural[kind]], o)
	}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	s.URL = server.URL
	return s
}

// Requests returns what was asked so far.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	metadataOnly := strings.Contains(r.Header.Get("Accept"), "as=PartialObjectMetadataList")
	query := r.URL.Query()
	s.mu.Lock()
	s.requests = append(s.requests, Request{r.Method, r.URL.Path, r.UserAgent(), query.Get("limit"), metadataOnly})
	s.mu.Unlock()

	// /api/v1/… or /apis/GROUP/VERSION/…, then namespaces/NS, the resource, a name.
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	if parts[0] == "api" {
		parts = parts[2:]
	} else {
		parts = parts[3:]
	}
	namespace := ""
	if len(parts) > 2 && parts[0] == "namespaces" {
		namespace, parts = parts[1], parts[2:]
	}
	resource := parts[0]
	switch {
	case s.ForbiddenAnywhere[resource], s.Forbidden[resource] && namespace == "":
		status(w, http.StatusForbidden, "Forbidden", resource+" is forbidden")
	case s.Broken[resource]:
		status(w, http.StatusInternalServerError, "InternalError", "broken on purpose")
	case len(parts) > 1:
		s.get(w, resource, namespace, parts[1])
	case query.Get("continue") != "" && s.expires(resource):
		status(w, http.StatusGone, "Expired", "the continue parameter is too old")
	default:
		s.list(w, resource, namespace, query.Get("limit"), query.Get("continue"), metadataOnly)
	}
}

func (s *Server) expires(resource string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	expired := s.ExpireOnce[resource]
	s.ExpireOnce[resource] = false
	return expired
}

func (s *Server) get(w http.ResponseWriter, resource, namespace, name string) {
	for _, o := range s.objects[resource] {
		if metadata := o["metadata"].(map[string]any); metadata["name"] == name && metadata["namespace"] == namespace {
			reply(w, http.StatusOK, o)
			return
		}
	}
	status(w, http.StatusNotFound, "NotFound", name+" not found")
}

func (s *Server) list(w http.ResponseWriter, resource, namespace, limit, after string, metadataOnly bool) {
	items := []any{}
	apiVersion, kind := "v1", "List"
	for _, o := range s.objects[resource] {
		metadata := o["metadata"].(map[string]any)
		if namespace != "" && metadata["namespace"] != namespace {
			continue
		}
		apiVersion, kind = o["apiVersion"].(string), o["kind"].(string)+"List"
		if metadataOnly {
			items = append(items, map[string]any{"apiVersion": "meta.k8s.io/v1", "kind": "PartialObjectMetadata", "metadata": metadata})
			continue
		}
		items = append(items, o)
	}
	if metadataOnly {
		apiVersion, kind = "meta.k8s.io/v1", "PartialObjectMetadataList"
	}
	meta := map[string]any{"resourceVersion": "7"}
	from, _ := strconv.Atoi(after)
	items = items[from:]
	if n, _ := strconv.Atoi(limit); n > 0 && n < len(items) {
		items = items[:n]
		meta["continue"] = strconv.Itoa(from + n)
	}
	reply(w, http.StatusOK, map[string]any{"apiVersion": apiVersion, "kind": kind, "metadata": meta, "items": items})
}

func status(w http.ResponseWriter, code int, reason, message string) {
	reply(w, code, map[string]any{
		"apiVersion": "v1", "kind": "Status", "status": "Failure", "code": code, "reason": reason, "message": message,
	})
}

func reply(w http.ResponseWriter, code int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(body)
}
