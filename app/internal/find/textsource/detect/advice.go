package detect

// Advice is the EndpointSlice way to do what a verb does, in one sentence.
func Advice(verb string) string {
	switch verb {
	case "create", "update", "patch", "delete":
		return "Write EndpointSlices (discovery.k8s.io/v1) with a managed-by label of your own, one a port set and family, instead of Endpoints."
	case "get":
		return "List the EndpointSlices with the label kubernetes.io/service-name set to the Service's name and join them; there can be more than one."
	case "watch":
		return "Watch EndpointSlices and join those that carry the Service's name in the label kubernetes.io/service-name; one event speaks of one slice only."
	}
	return "List EndpointSlices (discovery.k8s.io/v1) and join them by namespace and the label kubernetes.io/service-name."
}

// AdviceLock is for a leader election that keeps its record in Endpoints.
const AdviceLock = "Use the Lease lock; a lock is not a set of backends, so EndpointSlices are not its successor."
