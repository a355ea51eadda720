package main

import (
	"context"
	"fmt"
	"os"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/slicewright/slicewright/internal/slicetest"
)

// load makes sure that the cluster has the Services' slices. They are written
// by hand: 150,000 Pods would measure the lab, and a slice is the same.
func load(ctx context.Context, client kubernetes.Interface, services, endpoints int) error {
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: slicetest.Namespace}}
	if _, err := client.CoreV1().Namespaces().Create(ctx, namespace, metav1.CreateOptions{}); err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("create the namespace: %w", err)
	}
	present, err := client.DiscoveryV1().EndpointSlices(slicetest.Namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("list what is there: %w", err)
	}
	there := make(map[string]bool, len(present.Items))
	for i := range present.Items {
		there[present.Items[i].Name] = true
	}
	creating, ctx := errgroup.WithContext(ctx)
	creating.SetLimit(16) // the API server's and etcd's batches are full then
	created := 0
	for i := range services {
		for _, es := range slicetest.Service(fmt.Sprintf("service-%05d", i), endpoints, 100) {
			if there[es.Name] {
				continue
			}
			prepare(es)
			creating.Go(func() error {
				_, err := client.DiscoveryV1().EndpointSlices(es.Namespace).Create(ctx, es, metav1.CreateOptions{})
				if err != nil {
					return fmt.Errorf("create EndpointSlice %s/%s: %w", es.Namespace, es.Name, err)
				}
				return nil
			})
			if created++; created%1000 == 0 {
				fmt.Fprintf(os.Stderr, "%d slices created\n", created)
			}
		}
	}
	return creating.Wait()
}

// prepare makes a slice one that the API server takes and that no controller
// removes: it has no Service, and the controller would see to that.
func prepare(es *discoveryv1.EndpointSlice) {
	es.ResourceVersion = ""
	es.Labels[discoveryv1.LabelManagedBy] = "slicewright-bench"
}
