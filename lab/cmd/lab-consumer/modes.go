package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

// inform keeps a cache of Endpoints, as most controllers do.
func (c *consumer) inform(ctx context.Context) error {
	client, err := kubernetes.NewForConfig(c.config)
	if err != nil {
		return fmt.Errorf("make a client: %w", err)
	}
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace(c.namespace))
	endpoints := factory.Core().V1().Endpoints().Informer() //nolint:endpointsvet // find has to see it
	factory.Start(ctx.Done())
	if !cache.WaitForCacheSync(ctx.Done(), endpoints.HasSynced) {
		return nil
	}
	fmt.Println("synced")
	<-ctx.Done()
	factory.Shutdown()
	return nil
}

// list asks for all Endpoints again and again.
func (c *consumer) list(ctx context.Context) error {
	client, err := kubernetes.NewForConfig(c.config)
	if err != nil {
		return fmt.Errorf("make a client: %w", err)
	}
	return c.repeat(ctx, func(ctx context.Context) error {
		_, err := client.CoreV1().Endpoints(c.namespace).List(ctx, metav1.ListOptions{}) //nolint:endpointsvet // find has to see it
		return err
	})
}

// curl reads one object by its URL, without any client of Kubernetes.
func (c *consumer) curl(ctx context.Context) error {
	client, err := rest.HTTPClientFor(c.config) // the certificates and the token alone
	if err != nil {
		return fmt.Errorf("make an HTTP client: %w", err)
	}
	url := c.config.Host + "/api/v1/namespaces/" + c.namespace + "/endpoints/web" //nolint:endpointsvet // find has to see it
	return c.repeat(ctx, func(ctx context.Context) error {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			return err
		}
		answer, err := client.Do(request)
		if err != nil {
			return err
		}
		defer answer.Body.Close()
		if _, err := io.Copy(io.Discard, answer.Body); err != nil {
			return err
		}
		if answer.StatusCode != http.StatusOK {
			return fmt.Errorf("status %s", answer.Status)
		}
		return nil
	})
}

// walk lists whatever the core group has in a namespace, as backup programs do.
func (c *consumer) walk(ctx context.Context) error {
	kinds, err := discovery.NewDiscoveryClientForConfig(c.config)
	if err != nil {
		return fmt.Errorf("make a discovery client: %w", err)
	}
	client, err := dynamic.NewForConfig(c.config)
	if err != nil {
		return fmt.Errorf("make a client: %w", err)
	}
	resources, err := kinds.ServerResourcesForGroupVersion("v1")
	if err != nil {
		return fmt.Errorf("look up the resources of v1: %w", err)
	}
	return c.repeat(ctx, func(ctx context.Context) error {
		for _, r := range resources.APIResources {
			listable := false
			for _, verb := range r.Verbs {
				listable = listable || verb == "list"
			}
			if !r.Namespaced || !listable {
				continue
			}
			resource := schema.GroupVersionResource{Version: "v1", Resource: r.Name}
			if _, err := client.Resource(resource).Namespace(c.namespace).List(ctx, metav1.ListOptions{}); err != nil {
				return fmt.Errorf("list %s: %w", r.Name, err)
			}
		}
		return nil
	})
}

// produce publishes a machine outside the cluster, and renews it.
func (c *consumer) produce(ctx context.Context) error {
	client, err := dynamic.NewForConfig(c.config)
	if err != nil {
		return fmt.Errorf("make a client: %w", err)
	}
	endpoints := client.Resource(schema.GroupVersionResource{Version: "v1", Resource: "endpoints"}).Namespace(c.namespace)
	object := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Endpoints", //nolint:endpointsvet // find has to see it
		"metadata": map[string]any{"name": "outside"},
		"subsets": []any{map[string]any{
			"addresses": []any{map[string]any{"ip": "10.42.9.1"}},
			"ports":     []any{map[string]any{"name": "http", "port": int64(8080)}},
		}},
	}}
	var written *unstructured.Unstructured
	return c.repeat(ctx, func(ctx context.Context) error {
		if written == nil {
			created, err := endpoints.Create(ctx, object, metav1.CreateOptions{}) //nolint:endpointsvet // find has to see it
			if err == nil {
				written = created
			}
			return err
		}
		written.SetAnnotations(map[string]string{"example.com/renewed": time.Now().Format(time.RFC3339Nano)})
		updated, err := endpoints.Update(ctx, written, metav1.UpdateOptions{}) //nolint:endpointsvet // find has to see it
		if err == nil {
			written = updated
		}
		return err
	})
}

// elect takes part in an election by Lease: no use of Endpoints at all, though
// elections once were.
func (c *consumer) elect(ctx context.Context) error {
	lock, err := resourcelock.NewFromKubeconfig(resourcelock.LeasesResourceLock, c.namespace, c.name,
		resourcelock.ResourceLockConfig{Identity: c.name}, c.config, 10*time.Second)
	if err != nil {
		return fmt.Errorf("make the lock: %w", err)
	}
	leaderelection.RunOrDie(ctx, leaderelection.LeaderElectionConfig{
		Lock: lock, LeaseDuration: 15 * time.Second, RenewDeadline: 10 * time.Second, RetryPeriod: time.Second,
		ReleaseOnCancel: true,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(ctx context.Context) { fmt.Println("leads"); <-ctx.Done() },
			OnStoppedLeading: func() { fmt.Println("leads no longer") },
		},
	})
	return nil
}
