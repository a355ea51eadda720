package watch_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/slicewright/slicewright/watch"
)

// The light client asks for what a clientset asks for.
func TestClient(t *testing.T) {
	var mu sync.Mutex
	asked := map[string]bool{}
	es := sliceOf("a", "10.0.0.1")
	es.TypeMeta = metav1.TypeMeta{APIVersion: "discovery.k8s.io/v1", Kind: "EndpointSlice"}
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		mu.Lock()
		kind := "list"
		if r.URL.Query().Get("watch") != "" {
			kind = "watch"
		}
		asked[kind+" "+r.URL.Path] = true
		mu.Unlock()
		rw.Header().Set("Content-Type", "application/json")
		encoder := json.NewEncoder(rw)
		if kind == "list" {
			_ = encoder.Encode(discoveryv1.EndpointSliceList{
				TypeMeta: metav1.TypeMeta{APIVersion: "discovery.k8s.io/v1", Kind: "EndpointSliceList"},
				ListMeta: metav1.ListMeta{ResourceVersion: "1"}, Items: []discoveryv1.EndpointSlice{*es},
			})
			return
		}
		if r.URL.Query().Get("sendInitialEvents") != "" {
			http.Error(rw, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Invalid","code":422}`, http.StatusUnprocessableEntity)
			return
		}
		next := sliceOf("a", "10.0.0.2")
		next.TypeMeta, next.ResourceVersion = es.TypeMeta, "2"
		_ = encoder.Encode(map[string]any{"type": "MODIFIED", "object": next})
		rw.(http.Flusher).Flush()
		<-r.Context().Done()
	}))
	defer server.Close()
	client, err := watch.NewClient(&rest.Config{Host: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	w := watch.New(client, watch.Options{Namespaces: []string{web.Namespace}})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); w.Run(ctx) }()
	for late := time.After(20 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		if set, known := w.Service(web); known && len(set.Backends()) == 1 && set.Backends()[0].Addr.String() == "10.0.0.2" {
			break
		}
		select {
		case <-late:
			t.Fatalf("the change did not arrive; health is %+v", w.Health())
		default:
		}
	}
	cancel()
	<-done
	path := "/apis/discovery.k8s.io/v1/namespaces/" + web.Namespace + "/endpointslices"
	if diff := cmp.Diff(map[string]bool{"list " + path: true, "watch " + path: true}, asked); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}
}
