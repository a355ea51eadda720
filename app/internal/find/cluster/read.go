package cluster

import (
	"context"
	"errors"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/slicewright/slicewright/app/internal/find/evidence"
	"github.com/slicewright/slicewright/app/internal/find/objects"
)

// Options say how to read a cluster. The zero value is usable.
type Options struct {
	// PageSize is how many objects a request asks for; 0 is 500.
	PageSize int64
	// Namespaces are read one by one where a list over all is forbidden.
	Namespaces []string
	// Progress, where not nil, is told each resource before it is listed, in the
	// caller's goroutine.
	Progress func(resource string)
}

// Read reads a cluster once, in pages, one resource after the other. Only
// the metadata is asked for of Endpoints, EndpointSlices and ReplicaSets.
//
// It lists; it changes nothing and watches nothing. What it may not list is a
// problem in the coverage, and the rest is read all the same. An error is
// returned only when ctx ends; the snapshot then holds what came before. The
// resources are read at moments of their own: an object made meanwhile may be
// seen without its owner.
func Read(ctx context.Context, client *Client, opts Options) (*objects.Snapshot, evidence.Coverage, error) {
	if opts.PageSize == 0 {
		opts.PageSize = 500 // what kubectl and client-go ask for
	}
	c := &reader{
		client: client, opts: opts, snapshot: &objects.Snapshot{},
		coverage: evidence.Coverage{Source: evidence.SourceRBAC},
	}
	for _, r := range resources {
		if opts.Progress != nil {
			opts.Progress(r.Resource)
		}
		c.readAll(ctx, r)
		if err := ctx.Err(); err != nil {
			return c.snapshot, c.finish(), fmt.Errorf("read the cluster: list %s: %w", r.Resource, err)
		}
	}
	return c.snapshot, c.finish(), nil
}

// reader gathers a snapshot and its coverage from a cluster.
type reader struct {
	client   *Client
	opts     Options
	snapshot *objects.Snapshot
	coverage evidence.Coverage
}

// readAll reads one resource in all namespaces, or where that is forbidden in
// those that the caller named.
func (c *reader) readAll(ctx context.Context, r resource) {
	err := c.read(ctx, r, metav1.NamespaceAll)
	if err == nil {
		return
	}
	if !apierrors.IsForbidden(err) || !r.namespaced || len(c.opts.Namespaces) == 0 {
		c.problem(r, metav1.NamespaceAll, err)
		return
	}
	for _, namespace := range c.opts.Namespaces {
		if err := c.read(ctx, r, namespace); err != nil {
			c.problem(r, namespace, err)
		}
	}
	c.coverage.Problem(r.Resource, fmt.Sprintf("may be listed in %d namespaces only: in others %s", len(c.opts.Namespaces), r.lost))
}

// read reads one resource in one namespace, or in all. A list that takes so long
// that its continuation expires is begun again in one piece.
func (c *reader) read(ctx context.Context, r resource, namespace string) error {
	opts := metav1.ListOptions{Limit: c.opts.PageSize}
	got := &objects.Snapshot{}
	var problems []evidence.Problem
	for {
		page, err := r.page(ctx, c.client, r.GroupVersionResource, namespace, opts)
		if apierrors.IsResourceExpired(err) && opts.Continue != "" {
			got, problems, opts = &objects.Snapshot{}, nil, metav1.ListOptions{}
			continue
		}
		if err != nil {
			return err
		}
		err = meta.EachListItem(page, func(item runtime.Object) error {
			if err := got.Add(item, objects.Locators{}); err != nil {
				problems = append(problems, evidence.Problem{Locator: r.Resource, Message: err.Error()})
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("the answer is no list: %w", err)
		}
		list, err := meta.ListAccessor(page)
		if err != nil {
			return fmt.Errorf("the answer is no list: %w", err)
		}
		if list.GetContinue() == "" {
			break
		}
		opts.Continue = list.GetContinue()
	}
	c.snapshot.Append(got)
	c.coverage.Skipped += len(problems)
	c.coverage.Problems = append(c.coverage.Problems, problems...)
	return nil
}

func (c *reader) problem(r resource, namespace string, err error) {
	where := "in the cluster"
	if namespace != "" {
		where = "in namespace " + namespace
	}
	message := fmt.Sprintf("cannot be listed %s: %v; %s", where, firstLine(err), r.lost)
	if apierrors.IsForbidden(err) {
		message = fmt.Sprintf("may not be listed %s (403): %s; grant the verb list on %s", where, r.lost, r.GroupResource())
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		message = fmt.Sprintf("was not listed %s to its end: the time was over; %s", where, r.lost)
	}
	c.coverage.Skipped++
	c.coverage.Problem(r.Resource, message)
}

func (c *reader) finish() evidence.Coverage {
	out := c.coverage
	out.Read = c.snapshot.Len()
	return out
}

// firstLine is what a server answered, which is printed as it is.
func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return objects.Clean(line)
}
