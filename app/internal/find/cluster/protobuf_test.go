package cluster_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/client-go/rest"

	"github.com/slicewright/slicewright/app/internal/find/cluster"
)

// A real API server answers in protobuf, objects as well as refusals. The server
// of the other tests knows JSON alone.
func TestAnswersInProtobufAreRead(t *testing.T) {
	types := runtime.NewScheme()
	if err := corev1.AddToScheme(types); err != nil {
		t.Fatal(err)
	}
	encoder := protobuf.NewSerializer(types, types)
	pods := &corev1.PodList{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "PodList"},
		Items:    []corev1.Pod{{ObjectMeta: metav1.ObjectMeta{Namespace: "n", Name: "p"}, Spec: corev1.PodSpec{ServiceAccountName: "a"}}},
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var answer runtime.Object = pods
		code := http.StatusOK
		if r.URL.Path != "/api/v1/pods" {
			code = http.StatusForbidden
			refused := apierrors.NewForbidden(schema.GroupResource{Resource: "things"}, "", nil).Status()
			refused.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}
			answer = &refused
		}
		if !strings.HasPrefix(r.Header.Get("Accept"), runtime.ContentTypeProtobuf) {
			t.Errorf("%s is asked for as %s", r.URL.Path, r.Header.Get("Accept"))
		}
		w.Header().Set("Content-Type", runtime.ContentTypeProtobuf)
		w.WriteHeader(code)
		if err := encoder.Encode(answer, w); err != nil {
			t.Error(err)
		}
	}))
	defer server.Close()
	c, err := cluster.NewClient(&rest.Config{Host: server.URL}, "")
	if err != nil {
		t.Fatal(err)
	}
	snapshot, coverage, err := cluster.Read(t.Context(), c, cluster.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var accounts []string
	for _, p := range snapshot.Pods {
		accounts = append(accounts, p.Ref.String()+" "+p.Spec.ServiceAccount)
	}
	if d := cmp.Diff([]string{"Pod/n/p a"}, accounts); d != "" {
		t.Errorf("Pods (-want +got):\n%s", d)
	}
	if len(coverage.Problems) != 15 {
		t.Errorf("%d problems, want one for each of the other resources", len(coverage.Problems))
	}
	for _, p := range coverage.Problems {
		if !strings.Contains(p.Message, "(403)") {
			t.Errorf("%s: %s", p.Locator, p.Message)
		}
	}
}
