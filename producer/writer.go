package producer

import (
	"context"
	"fmt"
	"time"

	discovery "k8s.io/api/discovery/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/slicewright/slicewright/internal/pause"
)

// Writer publishes through an API server. It keeps nothing between calls: what
// is published is what it reads, so a restart, a crash in the middle of a plan
// and a second instance are all the same to it.
//
// It is safe for concurrent use. Two writers of one Service and one ManagedBy do
// not lose each other's writes unseen, but they undo them if they want different
// things: let a Lease decide which of several replicas writes.
//
// It needs list, create, update and delete on endpointslices in the Service's
// namespace, and for Retire patch and delete on the one Endpoints object.
type Writer struct {
	// EndpointSlices returns the requests about the slices of a namespace. With
	// client-go:
	//
	//	func(namespace string) producer.EndpointSlices {
	//		return client.DiscoveryV1().EndpointSlices(namespace)
	//	}
	EndpointSlices func(namespace string) EndpointSlices
	// Endpoints returns the requests about the Endpoints objects of a namespace,
	// client.CoreV1().Endpoints(namespace) with client-go. Only Retire needs it.
	Endpoints func(namespace string) Endpoints
	// Backoff spaces the attempts after somebody else changed a slice between
	// its being read and being written. The zero value makes five within two
	// seconds.
	Backoff wait.Backoff
}

// EndpointSlices are the requests about the slices of one namespace that a
// [Writer] makes. The typed clients of client-go have them. They are named here
// and not imported, because those clients bring 200 packages along.
type EndpointSlices interface {
	List(ctx context.Context, options metav1.ListOptions) (*discovery.EndpointSliceList, error)
	Create(ctx context.Context, slice *discovery.EndpointSlice, options metav1.CreateOptions) (*discovery.EndpointSlice, error)
	Update(ctx context.Context, slice *discovery.EndpointSlice, options metav1.UpdateOptions) (*discovery.EndpointSlice, error)
	Delete(ctx context.Context, name string, options metav1.DeleteOptions) error
}

// defaultBackoff outlasts another writer's few conflicting writes, and gives up
// before a person would wonder what is going on.
var defaultBackoff = wait.Backoff{Duration: 50 * time.Millisecond, Factor: 2.5, Jitter: 0.2, Steps: 5}

// Result is what a Sync did, also when it failed.
type Result struct {
	// Creates, Updates and Deletes count the writes that the API server took.
	Creates, Updates, Deletes int
	// Conflicts counts how often a plan was made again because a slice had
	// changed since it was read.
	Conflicts int
}

// Writes counts the writes that the API server took.
func (r Result) Writes() int { return r.Creates + r.Updates + r.Deletes }

// Sync makes the producer's slices of a Service say what is desired. Nothing is
// written if they already do. On an error some of the writes may have been made;
// they took nothing away that must stay, and the next Sync goes on from there.
func (w *Writer) Sync(ctx context.Context, d Desired) (Result, error) {
	var result Result
	if err := d.Validate(); err != nil {
		return result, err
	}
	backoff := w.Backoff
	if backoff.Steps == 0 {
		backoff = defaultBackoff
	}
	for {
		existing, err := w.list(ctx, d)
		if err != nil {
			return result, err
		}
		plan, err := d.Plan(existing)
		if err != nil {
			return result, err
		}
		err = w.apply(ctx, plan, &result)
		if err == nil || !outdated(err) || backoff.Steps <= 1 {
			return result, err
		}
		result.Conflicts++
		if err := pause.For(ctx, backoff.Step()); err != nil {
			return result, fmt.Errorf("service %s: %w", d.Service, err)
		}
	}
}

// list reads the own slices from the API server itself and not from a cache: a
// plan for slices that are a second old would create some of them twice.
func (w *Writer) list(ctx context.Context, d Desired) ([]*discovery.EndpointSlice, error) {
	own := labels.Set{discovery.LabelServiceName: d.Service.Name, discovery.LabelManagedBy: d.ManagedBy}
	list, err := w.EndpointSlices(d.Service.Namespace).List(ctx, metav1.ListOptions{LabelSelector: own.String()})
	if err != nil {
		return nil, fmt.Errorf("list the slices of %s that %s manages: %w", d.Service, d.ManagedBy, err)
	}
	existing := make([]*discovery.EndpointSlice, len(list.Items))
	for i := range list.Items {
		existing[i] = &list.Items[i]
	}
	return existing, nil
}

// apply makes the writes in order and stops at the first that fails.
func (w *Writer) apply(ctx context.Context, plan Plan, result *Result) error {
	for _, write := range plan.Writes {
		if err := w.write(ctx, write); err != nil {
			name := write.Slice.Name
			if write.Verb == Create {
				name = write.Slice.GenerateName + "*"
			}
			return fmt.Errorf("%s EndpointSlice %s/%s: %w", write.Verb, write.Slice.Namespace, name, err)
		}
		switch write.Verb {
		case Create:
			result.Creates++
		case Update:
			result.Updates++
		case Delete:
			result.Deletes++
		}
	}
	return nil
}

// write makes one request. An update and a delete are of exactly the version
// that was read: a later writer wins, and the plan is made again.
func (w *Writer) write(ctx context.Context, write Write) error {
	slices := w.EndpointSlices(write.Slice.Namespace)
	var err error
	switch write.Verb {
	case Create:
		_, err = slices.Create(ctx, write.Slice, metav1.CreateOptions{})
	case Update:
		_, err = slices.Update(ctx, write.Slice, metav1.UpdateOptions{})
	case Delete:
		err = slices.Delete(ctx, write.Slice.Name, metav1.DeleteOptions{Preconditions: &metav1.Preconditions{
			UID:             &write.Slice.UID,
			ResourceVersion: &write.Slice.ResourceVersion,
		}})
		if apierrors.IsNotFound(err) {
			return nil // it is already gone
		}
	}
	return err
}

// outdated reports that the slices are not those that the plan was made for.
func outdated(err error) bool {
	return apierrors.IsConflict(err) || apierrors.IsNotFound(err) || apierrors.IsAlreadyExists(err)
}
