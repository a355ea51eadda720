// Package acknowledgedfile is acknowledged as a whole.
//
//nolint:staticcheck // retired with the old controller
package acknowledgedfile

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

func list(ctx context.Context, cs kubernetes.Interface) {
	_, _ = cs.CoreV1().Endpoints("").List(ctx, metav1.ListOptions{})
}
