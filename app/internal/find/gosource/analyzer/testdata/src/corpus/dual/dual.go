// Package dual reads both.
package dual

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

func anyError(ctx context.Context, cs kubernetes.Interface) {
	_, err := cs.DiscoveryV1().EndpointSlices("prod").List(ctx, metav1.ListOptions{})
	if err != nil {
		_, _ = cs.CoreV1().Endpoints("prod").Get(ctx, "web", metav1.GetOptions{}) // want `go/typed-client get`
	}
}

func absentOnly(ctx context.Context, cs kubernetes.Interface) {
	_, err := cs.DiscoveryV1().EndpointSlices("prod").List(ctx, metav1.ListOptions{})
	if apierrors.IsNotFound(err) {
		_, _ = cs.CoreV1().Endpoints("prod").Get(ctx, "web", metav1.GetOptions{}) // want `go/typed-client get`
	}
}
