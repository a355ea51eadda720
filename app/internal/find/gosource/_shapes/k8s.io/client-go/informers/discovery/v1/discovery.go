// Package v1 is a stub with the shape of the real one.
package v1

import "k8s.io/client-go/tools/cache"

type Interface interface{ EndpointSlices() EndpointSliceInformer }

type EndpointSliceInformer interface {
	Informer() cache.SharedIndexInformer
}
