package producer

//lint:file-ignore SA1019 the deprecated API is what this file reads

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	discovery "k8s.io/api/discovery/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	k8stesting "k8s.io/client-go/testing"
)

// server is a fake API server that names what generateName asks for and checks
// resourceVersions, which the plain fake does not.
func server(objects ...runtime.Object) *fake.Clientset {
	client := fake.NewClientset(objects...)
	names := 0
	client.PrependReactor("create", "endpointslices", func(action k8stesting.Action) (bool, runtime.Object, error) {
		s := action.(k8stesting.CreateAction).GetObject().(*discovery.EndpointSlice)
		if s.Name == "" {
			names++
			s.Name = fmt.Sprintf("%s%d", s.GenerateName, names)
		}
		s.ResourceVersion = "1"
		return false, s, nil
	})
	client.PrependReactor("update", "endpointslices", func(action k8stesting.Action) (bool, runtime.Object, error) {
		s := action.(k8stesting.UpdateAction).GetObject().(*discovery.EndpointSlice)
		now, err := client.Tracker().Get(action.GetResource(), s.Namespace, s.Name)
		if err != nil {
			return true, nil, err
		}
		if s.ResourceVersion != "" && now.(*discovery.EndpointSlice).ResourceVersion != s.ResourceVersion {
			return true, nil, apierrors.NewConflict(discovery.Resource("endpointslices"), s.Name, errors.New("changed"))
		}
		s.ResourceVersion = now.(*discovery.EndpointSlice).ResourceVersion + "1"
		return false, s, nil
	})
	return client
}

// writerTo returns a writer that uses a client, with the default back-off.
func writerTo(client kubernetes.Interface) *Writer {
	return &Writer{
		EndpointSlices: func(namespace string) EndpointSlices { return client.DiscoveryV1().EndpointSlices(namespace) },
		Endpoints:      func(namespace string) Endpoints { return client.CoreV1().Endpoints(namespace) },
	}
}

// impatient returns a writer with a back-off of its own.
func impatient(client kubernetes.Interface, backoff wait.Backoff) *Writer {
	w := writerTo(client)
	w.Backoff = backoff
	return w
}

var quick = wait.Backoff{Duration: time.Microsecond, Steps: 5}

func writes(client *fake.Clientset) string {
	var verbs []string
	for _, a := range client.Actions() {
		verbs = append(verbs, a.GetVerb()+":"+a.GetResource().Resource)
	}
	client.ClearActions()
	return strings.Join(verbs, " ")
}

func TestSyncWritesOnceAndThenOnlyReads(t *testing.T) {
	client := server()
	w := writerTo(client)
	d := want(2, on(ports(http), ips(0, 3)...))
	result, err := w.Sync(t.Context(), d)
	if err != nil || result != (Result{Creates: 2}) {
		t.Fatalf("first: %+v, %v", result, err)
	}
	writes(client)
	if result, err = w.Sync(t.Context(), d); err != nil || result.Writes() != 0 {
		t.Fatalf("second: %+v, %v", result, err)
	}
	if got := writes(client); got != "list:endpointslices" {
		t.Errorf("the second Sync made the requests %q", got)
	}
}

// Somebody changes a slice between its being read and written, again and again.
func TestSyncPlansAnewAfterAConflict(t *testing.T) {
	for _, tt := range []struct {
		name           string
		conflicts      int
		ends           bool
		attempts, want int
	}{
		{"once", 1, true, 5, 1},
		{"as often as is tried again", 4, true, 5, 4},
		{"for ever", 1 << 30, false, 5, 4},
	} {
		t.Run(tt.name, func(t *testing.T) {
			client := server()
			w := impatient(client, quick)
			if _, err := w.Sync(t.Context(), want(3, on(ports(http), ips(0, 3)...))); err != nil {
				t.Fatal(err)
			}
			left := tt.conflicts
			client.PrependReactor("update", "endpointslices", func(action k8stesting.Action) (bool, runtime.Object, error) {
				if left == 0 {
					return false, nil, nil
				}
				left--
				sent := action.(k8stesting.UpdateAction).GetObject().(*discovery.EndpointSlice)
				now, err := client.Tracker().Get(action.GetResource(), sent.Namespace, sent.Name)
				if err != nil {
					return true, nil, err
				}
				s := now.DeepCopyObject().(*discovery.EndpointSlice)
				s.ResourceVersion += "0" // somebody else's write
				if err := client.Tracker().Update(action.GetResource(), s, s.Namespace); err != nil {
					t.Error(err)
				}
				return true, nil, apierrors.NewConflict(discovery.Resource("endpointslices"), s.Name, errors.New("changed"))
			})
			result, err := w.Sync(t.Context(), want(3, on(ports(http), ips(1, 3)...)))
			if (err == nil) != tt.ends || result.Conflicts != tt.want {
				t.Fatalf("%+v, %v", result, err)
			}
			if !tt.ends && !apierrors.IsConflict(err) {
				t.Errorf("a caller cannot tell that it was a conflict: %v", err)
			}
		})
	}
}

// A Writer without a back-off of its own tries again too.
func TestSyncHasABackoff(t *testing.T) {
	client := server()
	conflicts := 1
	client.PrependReactor("create", "endpointslices", func(k8stesting.Action) (bool, runtime.Object, error) {
		if conflicts == 0 {
			return false, nil, nil
		}
		conflicts--
		return true, nil, apierrors.NewConflict(discovery.Resource("endpointslices"), "s", errors.New("changed"))
	})
	result, err := writerTo(client).Sync(t.Context(), want(3, on(ports(http), ips(0, 3)...)))
	if err != nil || result.Conflicts != 1 {
		t.Errorf("%+v, %v", result, err)
	}
}

// The API server fails in the middle. Nothing that must stay is gone, and the
// next Sync makes only the writes that are left.
func TestSyncGoesOnAfterAFailure(t *testing.T) {
	client := server()
	w := impatient(client, quick)
	before := want(2, on(ports(http), ips(0, 4)...))
	after := want(2, on(ports(http, https), ips(0, 8)...))
	if _, err := w.Sync(t.Context(), before); err != nil {
		t.Fatal(err)
	}
	down := true
	client.PrependReactor("update", "endpointslices", func(k8stesting.Action) (bool, runtime.Object, error) {
		return down, nil, apierrors.NewInternalError(errors.New("etcd is gone"))
	})
	first, err := w.Sync(t.Context(), after)
	if !apierrors.IsInternalError(err) || first != (Result{Creates: 2}) {
		t.Fatalf("with the server down: %+v, %v", first, err)
	}
	if !strings.Contains(err.Error(), "update EndpointSlice shop/prices-") {
		t.Errorf("the error does not say what failed: %v", err)
	}
	down = false
	second, err := w.Sync(t.Context(), after)
	if err != nil || second != (Result{Updates: 2}) {
		t.Errorf("with the server back: %+v, %v", second, err)
	}
}

// A write to a slice since it was read must not be lost.
func TestSyncDeletesOnlyWhatItRead(t *testing.T) {
	client := server()
	w := writerTo(client)
	if _, err := w.Sync(t.Context(), want(2, on(ports(http), ips(0, 1)...))); err != nil {
		t.Fatal(err)
	}
	var options metav1.DeleteOptions
	client.PrependReactor("delete", "endpointslices", func(action k8stesting.Action) (bool, runtime.Object, error) {
		options = action.(k8stesting.DeleteActionImpl).DeleteOptions
		return false, nil, nil
	})
	if _, err := w.Sync(t.Context(), want(2)); err != nil {
		t.Fatal(err)
	}
	if p := options.Preconditions; p == nil || p.UID == nil || p.ResourceVersion == nil || *p.ResourceVersion != "1" {
		t.Errorf("preconditions %+v", p)
	}
}

func TestSyncEndsWithItsContext(t *testing.T) {
	client := server()
	w := impatient(client, wait.Backoff{Duration: time.Hour, Steps: 2})
	ctx, cancel := context.WithCancel(t.Context())
	client.PrependReactor("create", "endpointslices", func(k8stesting.Action) (bool, runtime.Object, error) {
		cancel()
		return true, nil, apierrors.NewConflict(discovery.Resource("endpointslices"), "x", errors.New("changed"))
	})
	if _, err := w.Sync(ctx, want(2, on(ports(http), ips(0, 1)...))); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want the context's", err)
	}
}

func TestSyncAsksNothingOfWhatCannotBePublished(t *testing.T) {
	client := server()
	if _, err := writerTo(client).Sync(t.Context(), Desired{Service: prices}); err == nil {
		t.Error("a producer without a name is taken")
	}
	if got := writes(client); got != "" {
		t.Errorf("requests %q", got)
	}
}

func TestRetireTouchesOnlyItsOwnAndOnlyAfterTheSlices(t *testing.T) {
	const label, value = "example.com/written-by", "vm-publisher"
	object := func(labels map[string]string) *corev1.Endpoints {
		return &corev1.Endpoints{ObjectMeta: metav1.ObjectMeta{Namespace: prices.Namespace, Name: prices.Name, Labels: labels, UID: "u"}}
	}
	own := object(map[string]string{label: value})
	tests := []struct {
		name      string
		object    *corev1.Endpoints
		published bool
		delete    bool
		err       error
		requests  string
	}{
		{"its own is marked", own, true, false, nil, "list:endpointslices patch:endpoints"},
		{"its own is removed", own, true, true, nil, "list:endpointslices patch:endpoints delete:endpoints"},
		{"not before the slices are there", own, false, true, ErrNotPublished, "list:endpointslices"},
		{"another's stays", object(map[string]string{label: "other"}), true, true, ErrNotOwn, "list:endpointslices patch:endpoints"},
		{"one without a label stays", object(nil), true, true, ErrNotOwn, "list:endpointslices patch:endpoints"},
		{"the endpoints controller's stays, whatever labels it copied", object(map[string]string{label: value, "endpoints.kubernetes.io/managed-by": "endpoint-controller"}), true, true, ErrNotOwn, "list:endpointslices patch:endpoints"},
		{"none is fine", nil, true, true, nil, "list:endpointslices patch:endpoints"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			client := server()
			if tt.object != nil {
				if err := client.Tracker().Add(tt.object.DeepCopy()); err != nil {
					t.Fatal(err)
				}
			}
			// The real server answers 422 to a patch whose test fails; the fake
			// passes the patch library's error on.
			client.PrependReactor("patch", "endpoints", func(action k8stesting.Action) (bool, runtime.Object, error) {
				const test = `{"op":"test","path":"/metadata/labels/example.com~1written-by","value":"vm-publisher"}`
				if patch := string(action.(k8stesting.PatchAction).GetPatch()); !strings.HasPrefix(patch, "["+test) {
					t.Errorf("patch %s does not ask first whose it is", patch)
				}
				if tt.object != nil && tt.object.Labels[label] != value {
					return true, nil, apierrors.NewInvalid(schema.GroupKind{Kind: "Endpoints"}, prices.Name, nil)
				}
				return false, nil, nil
			})
			w := impatient(client, quick)
			d := want(2, on(ports(http), ips(0, 3)...))
			if tt.published {
				if _, err := w.Sync(t.Context(), d); err != nil {
					t.Fatal(err)
				}
			}
			writes(client)
			err := w.Retire(t.Context(), d, Legacy{Label: label, Value: value, Delete: tt.delete})
			if !errors.Is(err, tt.err) {
				t.Errorf("error %v, want %v", err, tt.err)
			}
			if got := writes(client); got != tt.requests {
				t.Errorf("requests %q, want %q", got, tt.requests)
			}
			if tt.object == nil {
				return
			}
			left, err := client.Tracker().Get(corev1.SchemeGroupVersion.WithResource("endpoints"), prices.Namespace, prices.Name)
			if gone := apierrors.IsNotFound(err); gone != (tt.delete && tt.err == nil) {
				t.Fatalf("gone: %t (%v)", gone, err)
			} else if !gone && tt.err == nil && left.(*corev1.Endpoints).Labels[discovery.LabelSkipMirror] != "true" {
				t.Error("it is not marked")
			}
		})
	}
}

func TestRetireWantsAProof(t *testing.T) {
	for _, legacy := range []Legacy{{}, {Label: "a b", Value: "c"}, {Label: "a"}} {
		client := server()
		if err := writerTo(client).Retire(t.Context(), want(0), legacy); err == nil {
			t.Errorf("%+v is taken for a proof", legacy)
		}
		if got := writes(client); got != "" {
			t.Errorf("requests %q", got)
		}
	}
}
