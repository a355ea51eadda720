// Package lock elects leaders on Endpoints.
package lock

import (
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"sigs.k8s.io/controller-runtime/pkg/manager"
)

func byName(core typedcorev1.CoreV1Interface) {
	_, _ = resourcelock.New("endpoints", "prod", "x", core, resourcelock.ResourceLockConfig{})                              // want `go/leader-lock get,create,update \(lock`
	_, _ = resourcelock.New(resourcelock.EndpointsLeasesResourceLock, "prod", "x", core, resourcelock.ResourceLockConfig{}) // want `go/leader-lock`
	_, _ = resourcelock.New(resourcelock.LeasesResourceLock, "prod", "x", core, resourcelock.ResourceLockConfig{})
}

func chosen(core typedcorev1.CoreV1Interface, old bool) {
	kind := resourcelock.LeasesResourceLock
	if old {
		kind = resourcelock.EndpointsResourceLock
	}
	_, _ = resourcelock.New(kind, "prod", "x", core, resourcelock.ResourceLockConfig{}) // want `go/leader-lock`
}

func literal() resourcelock.EndpointsLock {
	return resourcelock.EndpointsLock{} // want `go/leader-lock`
}

func option() manager.Options {
	return manager.Options{
		LeaderElection:             true,
		LeaderElectionResourceLock: "endpointsleases", // want `go/leader-lock`
	}
}

func assigned(o *manager.Options) {
	o.LeaderElectionResourceLock = "endpoints" // want `go/leader-lock`
	o.LeaderElectionResourceLock = "leases"
}

func refused(kind string) bool {
	return kind == resourcelock.EndpointsResourceLock
}

func flags(stringVar func(p *string, name, value, usage string), o *manager.Options) {
	stringVar(&o.LeaderElectionResourceLock, "leader-elect-resource-lock", "endpoints", "") // want `go/leader-lock`
	stringVar(&o.LeaderElectionResourceLock, "leader-elect-resource-lock", "leases", "")
}
