package backends

import (
	"context"
	"fmt"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/slicewright/slicewright/app/internal/apiclient"
	"github.com/slicewright/slicewright/app/internal/cli/command"
	"github.com/slicewright/slicewright/endpointset"
	"github.com/slicewright/slicewright/watch"
	"github.com/slicewright/slicewright/watch/access"
	"github.com/slicewright/slicewright/watch/replay"
)

// fromCluster shows what the API server has, and with --watch what it gets.
func (f *backendsFlags) fromCluster(ctx context.Context, v *backendsView) error {
	client, _, err := f.cluster.Connect("backends")
	if err != nil {
		return err
	}
	current, err := f.cluster.CurrentNamespace()
	if err != nil {
		return fmt.Errorf("connect to the cluster: %w", err)
	}
	namespaces := []string{current}
	if f.allNamespaces {
		namespaces = []string{metav1.NamespaceAll}
	}
	if len(v.wanted) > 0 {
		namespaces = nil
		for i := range v.wanted {
			if v.wanted[i].Namespace == "" {
				v.wanted[i].Namespace = current
			}
			namespaces = append(namespaces, v.wanted[i].Namespace)
		}
	}
	if f.watch {
		if f.selector != "" {
			return command.UsageErrorf("-l and --watch exclude each other")
		}
		return f.watchCluster(ctx, v, client, namespaces)
	}
	for _, namespace := range namespaces {
		if err := f.list(ctx, v, client, namespace); err != nil {
			return err
		}
	}
	return v.show(func(string) bool { return true }, "the cluster")
}

// list takes the slices of a namespace in.
func (f *backendsFlags) list(ctx context.Context, v *backendsView, client apiclient.Interface, namespace string) error {
	options := metav1.ListOptions{LabelSelector: f.selector, Limit: 500}
	for {
		list, err := client.DiscoveryV1().EndpointSlices(namespace).List(ctx, options)
		if apierrors.IsForbidden(err) {
			return &access.Error{Missing: []access.Permission{{Namespace: namespace, Verb: "list"}}}
		}
		if err != nil {
			return fmt.Errorf("list EndpointSlices: %w", err)
		}
		for i := range list.Items {
			v.apply(replay.Event{Put: &list.Items[i]})
		}
		if options.Continue = list.Continue; options.Continue == "" {
			return nil
		}
	}
}

// watchCluster shows changes until ctx ends.
func (f *backendsFlags) watchCluster(ctx context.Context, v *backendsView, client apiclient.Interface, namespaces []string) error {
	if err := access.Check(ctx, client.AuthorizationV1(), namespaces); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var mu sync.Mutex // several namespaces are watched at once; guards v and failed
	var failed error
	w := watch.New(client.DiscoveryV1(), watch.Options{
		Namespaces: namespaces,
		Changed: func(changes []endpointset.Change) {
			mu.Lock()
			defer mu.Unlock()
			if failed == nil {
				if failed = v.showChanges(changes, func(string) bool { return true }); failed != nil {
					cancel()
				}
			}
		},
	})
	v.index = w.Index()
	w.Run(ctx)
	return failed
}
