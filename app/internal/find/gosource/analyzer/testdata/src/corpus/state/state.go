// Package state keeps a record in an annotation of Endpoints.
package state

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

func save(ctx context.Context, cs kubernetes.Interface, leader string) error {
	client := cs.CoreV1().Endpoints("prod")
	ep, err := client.Get(ctx, "db-config", metav1.GetOptions{}) // want `go/typed-client get \(state-store`
	if err != nil {
		return err
	}
	ep.Annotations["leader"] = leader
	_, err = client.Update(ctx, ep, metav1.UpdateOptions{}) // want `go/typed-client update \(state-store`
	return err
}

func create(ctx context.Context, cs kubernetes.Interface) error {
	_, err := cs.CoreV1().Endpoints("prod").Create(ctx, &corev1.Endpoints{ // want `go/typed-client create \(state-store`
		ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{"initialize": "1"}},
	}, metav1.CreateOptions{})
	return err
}
