package producer

//lint:file-ignore SA1019 retiring the deprecated object is what this file is for

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	discovery "k8s.io/api/discovery/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation"
)

// Legacy says which Endpoints object a producer may retire: the one with the
// Service's name, if it bears a label that only this producer gives.
type Legacy struct {
	// Label and Value prove that the object is the producer's own. An object
	// without such a label gets one by hand, once:
	//
	//	kubectl label endpoints prices example.com/written-by=vm-publisher
	Label, Value string
	// Delete removes the object. Otherwise it stays as it is, marked so that the
	// mirroring controller leaves it alone and takes its slices away; programs
	// that still read Endpoints find the addresses of that day.
	Delete bool
}

// What Retire returns besides the API server's errors.
var (
	// ErrNotPublished: the slices do not say yet what is desired, so the
	// Endpoints object is still needed.
	ErrNotPublished = errors.New("the slices are not published yet")
	// ErrNotOwn: the Endpoints object is somebody else's.
	ErrNotOwn = errors.New("the Endpoints object is not this producer's")
)

// Endpoints are the requests about the Endpoints objects of one namespace that
// [Writer.Retire] makes. The typed clients of client-go have them.
type Endpoints interface {
	Patch(ctx context.Context, name string, kind types.PatchType, data []byte, options metav1.PatchOptions, subresources ...string) (*corev1.Endpoints, error)
	Delete(ctx context.Context, name string, options metav1.DeleteOptions) error
}

// labelEndpointsManagedBy is on every Endpoints object that Kubernetes'
// endpoints controller writes.
const labelEndpointsManagedBy = "endpoints.kubernetes.io/managed-by"

// Retire takes the producer's own Endpoints object of the Service out of use,
// once the slices say what is desired. No object is no error.
//
// While the object is mirrored, the Service has its addresses twice, in the
// mirrored slices and in the producer's own. That is harmless (S6) until they
// differ: Retire follows the first Sync, before the first change.
//
// Endpoints are never read for it. Whose object it is, the API server checks
// while it writes, so nothing can come in between.
func (w *Writer) Retire(ctx context.Context, d Desired, legacy Legacy) error {
	if err := legacy.validate(); err != nil {
		return fmt.Errorf("endpoints %s: %w", d.Service, err)
	}
	existing, err := w.list(ctx, d)
	if err != nil {
		return err
	}
	plan, err := d.Plan(existing)
	if err != nil {
		return err
	}
	if !plan.Empty() {
		return fmt.Errorf("endpoints %s stays: %w (%d writes to go)", d.Service, ErrNotPublished, plan.Len())
	}
	marked, err := w.mark(ctx, d, legacy)
	if err != nil || marked == nil || !legacy.Delete {
		return err
	}
	err = w.Endpoints(d.Service.Namespace).Delete(ctx, d.Service.Name, metav1.DeleteOptions{
		Preconditions: &metav1.Preconditions{UID: &marked.UID, ResourceVersion: &marked.ResourceVersion},
	})
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("delete endpoints %s, already marked as not to be mirrored: %w", d.Service, err)
	}
	return nil
}

func (l Legacy) validate() error {
	if msg := dns(validation.IsQualifiedName(l.Label)); msg != "" {
		return fmt.Errorf("label %q, which is to prove whose it is: %s", l.Label, msg)
	}
	if l.Value == "" {
		return fmt.Errorf("label %q has no value, which is to prove whose it is", l.Label)
	}
	return nil
}

// mark sets the label that stops mirroring, on the condition that the object
// has the label that proves whose it is. It returns nil when there is no object.
func (w *Writer) mark(ctx context.Context, d Desired, legacy Legacy) (*corev1.Endpoints, error) {
	patch, err := json.Marshal([]map[string]any{
		{"op": "test", "path": labelPath(legacy.Label), "value": legacy.Value},
		{"op": "add", "path": labelPath(discovery.LabelSkipMirror), "value": "true"},
	})
	if err != nil {
		return nil, err
	}
	marked, err := w.Endpoints(d.Service.Namespace).Patch(ctx, d.Service.Name, types.JSONPatchType, patch, metav1.PatchOptions{})
	switch {
	case apierrors.IsNotFound(err):
		return nil, nil
	case apierrors.IsInvalid(err):
		// The test of the patch failed: the label is missing or another.
		return nil, fmt.Errorf("endpoints %s stays: %w: label %s is not %q: %v", d.Service, ErrNotOwn, legacy.Label, legacy.Value, err)
	case err != nil:
		return nil, fmt.Errorf("mark endpoints %s as not to be mirrored: %w", d.Service, err)
	case marked.Labels[labelEndpointsManagedBy] != "":
		// The endpoints controller copies a Service's labels, the proof among
		// them. It takes the mark off by itself with its next write.
		return nil, fmt.Errorf("endpoints %s stays: %w: %s writes it", d.Service, ErrNotOwn, marked.Labels[labelEndpointsManagedBy])
	}
	return marked, nil
}

// labelPath is the JSON pointer (RFC 6901) to a label.
func labelPath(label string) string {
	return "/metadata/labels/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(label)
}
