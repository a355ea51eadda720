// Package ownlock writes the record of a leader election by hand.
package ownlock

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
)

const annotation = "control-plane.alpha.kubernetes.io/leader"

func renew(ctx context.Context, cs kubernetes.Interface, record string) error {
	patch := `{"metadata":{"annotations":{"` + annotation + `":"` + record + `"}}}`
	_, err := cs.CoreV1().Endpoints("prod").Patch(ctx, "election", types.MergePatchType, []byte(patch), metav1.PatchOptions{}) // want `go/typed-client patch \(lock`
	return err
}
