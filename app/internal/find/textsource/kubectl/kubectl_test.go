package kubectl

import (
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	tests := []struct {
		line string
		want string // "verb word [name] [namespace]", or "" for no request
	}{
		{"get endpoints", "list endpoints"},
		{"get ep", "list ep"},
		{"get Endpoints web", "get Endpoints web"},
		{"-n kube-system get ep", "list ep ns=kube-system"},
		{"get -n kube-system -o json ep", "list ep ns=kube-system"},
		{"get -nkube-system ep", "list ep ns=kube-system"},
		{"--context prod --namespace=web get endpoints api", "get endpoints api ns=web"},
		{"get pods,ep,svc", "list pods,ep,svc"},
		{"get svc/web ep/web", "get ep/web web"},
		{"get ep -w", "watch ep"},
		{"get --watch ep", "watch ep"},
		{"get ep -A", "list ep ns=*"},
		{"-- get ep", "list ep"},
		{"describe endpoints web", "get endpoints web"},
		{"wait --for=jsonpath={.subsets} endpoints/web --timeout 30s", "watch endpoints/web web"},
		{"wait --for condition=x ep/web", "watch ep/web web"},
		{"delete ep web", "delete ep web"},
		{"patch ep web -p {}", "patch ep web"},
		{"get endpoints.v1. web", "get endpoints.v1. web"},
		{"get --raw /api/v1/namespaces/web/endpoints", "list /api/v1/namespaces/web/endpoints ns=web"},
		{"get --raw=/api/v1/endpoints?watch=1", "watch --raw=/api/v1/endpoints?watch=1 ns=*"},
		// What looks like it and is not.
		{"get pods endpoints", ""},
		{"get pod ep", ""},
		{"get endpointslices", ""},
		{"get endpointslices.discovery.k8s.io", ""},
		{"get endpoints.example.com", ""},
		{"get pods -n endpoints", ""},
		{"get pods -l app=ep", ""},
		{"get pods -o endpoints", ""},
		{"auth can-i get endpoints", ""},
		{"explain endpoints", ""},
		{"logs ep", ""},
		{"exec ep -- get endpoints", ""},
		{"apply -f endpoints", ""},
		{"get --raw /apis/discovery.k8s.io/v1/namespaces/a/endpointslices", ""},
		{"get", ""},
		{"", ""},
	}
	for _, tt := range tests {
		t.Run(tt.line, func(t *testing.T) {
			args := strings.Fields(tt.line)
			got := ""
			if r, ok := Parse(args); ok {
				got = r.Verb + " " + args[r.Word]
				if r.Name != "" {
					got += " " + r.Name
				}
				if r.Namespace != "" {
					got += " ns=" + r.Namespace
				}
			}
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestParsePath(t *testing.T) {
	tests := []struct {
		text string
		want string
	}{
		{"/api/v1/namespaces/web/endpoints", "list web"},
		{"api/v1/namespaces/web/endpoints/", "list web"},
		{"https://10.0.0.1:6443/api/v1/namespaces/%s/endpoints/%s", "get %s %s"},
		{"/api/v1/namespaces/${NS:-a/b}/endpoints?x=1", "list ${NS:-a/b}"},
		{"/api/v1/watch/namespaces/a/endpoints/b", "watch a b"},
		{"/api/v1/endpoints?watch=true", "watch *"},
		{"x /api/v1/pods y /api/v1/namespaces/a/endpoints", "list a"},
		{"/apis/discovery.k8s.io/v1/namespaces/a/endpointslices", ""},
		{"/api/v1/namespaces/a/endpointslices", ""},
		{"/apis/example.com/v1/namespaces/a/endpoints", ""},
		{"/my-api/v1/endpoints", ""},
		{"/api/v1/endpoints/a/statuses", ""},
		{"/api/v1/namespaces/a b/endpoints", ""},
		{"/api/v1/namespaces/endpoints", ""},
	}
	for _, tt := range tests {
		got := ""
		if p, ok := ParsePath(tt.text); ok {
			got = strings.TrimSpace(p.Verb + " " + p.Namespace + " " + p.Name)
		}
		if got != tt.want {
			t.Errorf("ParsePath(%q) = %q, want %q", tt.text, got, tt.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("get -n a ep/x -o json --raw /api/v1/endpoints")
	f.Add("-n")
	f.Fuzz(func(t *testing.T, line string) {
		args := strings.Split(line, " ")
		if r, ok := Parse(args); ok && (r.Word < 0 || r.Word >= len(args) || r.Verb == "") {
			t.Fatalf("Parse(%q) = %+v", args, r)
		}
		if p, ok := ParsePath(line); ok && (p.Start < 0 || p.End < p.Start || p.End > len(line)) {
			t.Fatalf("ParsePath(%q) = %+v", line, p)
		}
	})
}
