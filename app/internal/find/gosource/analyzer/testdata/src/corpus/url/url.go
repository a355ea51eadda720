// Package url speaks to kubernetes without any of its libraries.
package url

import (
	"fmt"
	"net/http"
	"net/url"
	"os/exec"
	"path"
	"strings"
)

const prefix = "/api/v1/namespaces/"

const allPath = "/api/v1/endpoints"

func sprintf(host, ns, name string) {
	u := fmt.Sprintf("%s/api/v1/namespaces/%s/endpoints/%s", host, ns, name) // want `go/raw-url get \(reader, likely`
	_, _ = http.Get(u)
}

func watching(host, ns string) {
	_, _ = http.Get(fmt.Sprintf("https://%s/api/v1/watch/namespaces/%s/endpoints", host, ns)) // want `go/raw-url watch`
}

func concatenated(host, ns string) {
	_, _ = http.Get(host + prefix + ns + "/endpoints?watch=true") // want `go/raw-url watch`
}

func constant(host string) {
	_, _ = http.Get(host + allPath) // want `go/raw-url list`
}

func argumentOfFormat(host, ns string) {
	_, _ = http.Get(fmt.Sprintf("%s/api/v1/namespaces/%s/%s", host, ns, "endpoints")) // want `go/raw-url list`
}

func joinedPath(ns string) string {
	return path.Join("/api/v1/namespaces", ns, "endpoints") // want `go/raw-url list`
}

func joinedURL(base, ns string) (string, error) {
	return url.JoinPath(base, "api/v1/namespaces", ns, "endpoints") // want `go/raw-url list`
}

func joinedList(ns string) string {
	return strings.Join([]string{"/api", "v1", "namespaces", ns, "endpoints"}, "/") // want `go/raw-url list`
}

func inVariable(host string) {
	p := "/api/v1/namespaces/prod/endpoints"
	_, _ = http.Get(host + p) // want `go/raw-url list`
}

func fromParameter(host string) {
	list(host, "endpoints") // want `go/raw-url list`
	list(host, "pods")
}

func list(host, resource string) {
	_, _ = http.Get(host + "/api/v1/" + resource)
}

func unknownBase(base, ns string) {
	_, _ = http.Get(base + "/namespaces/" + ns + "/endpoints") // want `go/raw-url list \(reader, possible`
}

func apiServer(host string) {
	_, _ = http.Get(host + "/api/v1/namespaces/default/endpoints/kubernetes") // want `go/raw-url get \(apiserver-discovery`
}

func kubectl(ns string) {
	_ = exec.Command("kubectl", "-n", ns, "get", "endpoints", "web", "-o", "json").Run() // want `go/kubectl get`
	_ = exec.Command("sh", "-c", "kubectl get ep web -o name | wc -l").Run()             // want `go/kubectl get`
	_ = exec.Command("/usr/bin/kubectl", "describe", "svc,endpoints").Run()              // want `go/kubectl get`
	_ = exec.Command("kubectl", "get", "endpointslices").Run()
	_ = exec.Command("kubectl", "get", "pods", "endpoints").Run()
	_ = exec.Command("etcdctl", "endpoint", "health").Run()
	args := []string{"delete", "endpoints", "web"}
	runKubectl(args...) // want `go/kubectl delete \(producer`
}

func runKubectl(args ...string) {}

func replaced(host, ns string) {
	_, _ = http.Get(strings.Replace("http://k8s/api/v1/namespaces/{ns}/endpoints", "{ns}", ns, 1)) // want `go/raw-url list`
}

const templated = "{{ .Host }}/api/v1/namespaces/{{ .Namespace }}/endpoints"

func render(execute func(string) string) string {
	return execute(templated) // want `go/raw-url list`
}
