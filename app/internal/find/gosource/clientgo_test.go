package gosource

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestWithTheRealClientGo scans a module that requires what the library requires,
// from the module cache: the stubs of the other tests could be wrong about the
// real thing.
func TestWithTheRealClientGo(t *testing.T) {
	root := t.TempDir()
	const own = "module github.com/slicewright/slicewright\n"
	mod := read(t, filepath.Join("..", "..", "..", "..", "go.mod"))
	if !strings.HasPrefix(mod, own) {
		t.Fatalf("go.mod does not start with %q", own)
	}
	writeFile(t, filepath.Join(root, "go.mod"), "module example.org/consumer\n"+strings.TrimPrefix(mod, own))
	writeFile(t, filepath.Join(root, "go.sum"), read(t, filepath.Join("..", "..", "..", "..", "go.sum")))
	writeFile(t, filepath.Join(root, "main.go"), `package main

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

func main() {
	config, _ := rest.InClusterConfig()
	cs := kubernetes.NewForConfigOrDie(config)
	ctx := context.Background()
	eps := cs.CoreV1().Endpoints
	_, _ = eps("prod").Watch(ctx, metav1.ListOptions{})
	f := informers.NewSharedInformerFactory(cs, 0)
	f.Core().V1().Endpoints().Informer()
	_, _ = f.Core().V1().Endpoints().Lister().Endpoints("prod").Get("web")
	_, _ = f.ForResource(corev1.SchemeGroupVersion.WithResource("endpoints"))
	f.Discovery().V1().EndpointSlices().Informer()
	d := dynamic.NewForConfigOrDie(config)
	_, _ = d.Resource(corev1.SchemeGroupVersion.WithResource("endpoints")).List(ctx, metav1.ListOptions{})
	lw := cache.NewListWatchFromClient(cs.CoreV1().RESTClient(), "endpoints", "prod", fields.Everything())
	cache.NewSharedIndexInformer(lw, &corev1.Endpoints{}, 0, nil)
	_ = cs.CoreV1().RESTClient().Get().Namespace("prod").Resource("endpoints").Name("web").Do(ctx).Error()
	_, _ = cs.CoreV1().Services("prod").List(ctx, metav1.ListOptions{})
}
`)
	findings, coverage := Scan(context.Background(), root, Options{})
	want := []string{
		"main.go:21:9 go/typed-client likely",
		"main.go:23:2 go/informer likely",
		"main.go:24:9 go/lister likely",
		"main.go:25:9 go/informer likely",
		"main.go:28:9 go/dynamic-client likely",
		"main.go:29:8 go/list-watch likely",
		"main.go:31:6 go/rest-client likely",
	}
	if diff := cmp.Diff(want, locators(findings)); diff != "" {
		t.Error(diff)
	}
	if len(coverage.Problems) > 0 {
		t.Errorf("problems: %s\nIf the module cache lacks something, run: make deps", messages(coverage))
	}
}
