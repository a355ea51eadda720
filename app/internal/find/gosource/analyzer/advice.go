package analyzer

import (
	"slices"

	"github.com/slicewright/slicewright/app/internal/find/evidence"
)

// advice is the EndpointSlice way to do what a site does, in a sentence.
func advice(site *Site) string {
	switch site.Class {
	case evidence.Lock:
		return "Use a Lease as the leader lock (resourcelock.LeasesResourceLock); an EndpointSlice is no lock."
	case evidence.StateStore:
		return "Keep state in a ConfigMap, a Lease or an own resource; Endpoints and EndpointSlices are no store."
	case evidence.APIServerDiscovery:
		return "List the EndpointSlices of namespace default with the label kubernetes.io/service-name=kubernetes; for the API server's address alone, use the Service or the kubeconfig."
	case evidence.Walker:
		return "Leave endpoints of the core group out when you go over all resources; EndpointSlices are among them."
	case evidence.Producer:
		return producerAdvice(site)
	}
	return readerAdvice(site)
}

func producerAdvice(site *Site) string {
	if carriesOver(site.Detector) {
		return "Write EndpointSlices with the labels kubernetes.io/service-name and endpointslice.kubernetes.io/managed-by, one per address family, at most 100 endpoints each."
	}
	return "Grant the same verbs on endpointslices in the group discovery.k8s.io, and remove endpoints once the writer has moved."
}

func readerAdvice(site *Site) string {
	switch site.Detector {
	case "go/rbac-rule", "go/rbac-marker":
		return "Grant get, list and watch on endpointslices in the group discovery.k8s.io, and remove endpoints once the reader has moved."
	case "go/access-review":
		return "Ask for endpointslices in the group discovery.k8s.io."
	case "go/wrapper":
		return "Move the function that is called to EndpointSlices; this caller follows."
	case "go/raw-url":
		return "Use /apis/discovery.k8s.io/v1/namespaces/NAMESPACE/endpointslices?labelSelector=kubernetes.io/service-name=SERVICE and join all slices of the list."
	case "go/kubectl":
		return "Use kubectl get endpointslices -l kubernetes.io/service-name=SERVICE."
	case "go/controller-runtime":
		return "Use discoveryv1.EndpointSlice, selected by the label kubernetes.io/service-name; for watches, map a slice to its Service by that label, never by owner."
	case "go/group-version-resource", "go/dynamic-client", "go/unstructured":
		return "Use discovery.k8s.io/v1 endpointslices, selected by the label kubernetes.io/service-name, and join all slices of a Service."
	}
	if slices.Contains(site.Access, "informer") || slices.Contains(site.Access, "lister") {
		return "Use the informer and lister of discovery/v1 EndpointSlices; index them by the label kubernetes.io/service-name, since one Service has many."
	}
	return "List DiscoveryV1().EndpointSlices(namespace) with the label kubernetes.io/service-name=SERVICE and join them: one Service has many slices, and an address can stand in two."
}
