// Package acknowledged has sites that somebody looked at.
package acknowledged

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

func sameLine(ctx context.Context, cs kubernetes.Interface) {
	_, _ = cs.CoreV1().Endpoints("").List(ctx, metav1.ListOptions{}) //nolint:endpointsvet // compared with slices on purpose
}

func lineAbove(ctx context.Context, cs kubernetes.Interface) {
	//nolint:staticcheck
	_, _ = cs.CoreV1().Endpoints("").List(ctx, metav1.ListOptions{})
	//lint:ignore SA1019 not moved yet
	_, _ = cs.CoreV1().Endpoints("").List(ctx, metav1.ListOptions{})
}

//nolint:staticcheck,errcheck
func wholeFunction(ctx context.Context, cs kubernetes.Interface) {
	_, _ = cs.CoreV1().Endpoints("").List(ctx, metav1.ListOptions{})
	_, _ = cs.CoreV1().Endpoints("").Watch(ctx, metav1.ListOptions{})
}

func otherLinter(ctx context.Context, cs kubernetes.Interface) {
	//nolint:errcheck
	_, _ = cs.CoreV1().Endpoints("").List(ctx, metav1.ListOptions{}) // want `go/typed-client list`
	//nolint:endpointsvetter
	_, _ = cs.CoreV1().Endpoints("").List(ctx, metav1.ListOptions{}) // want `go/typed-client list`
}
