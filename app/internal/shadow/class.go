package shadow

// Class says why the two sources differ.
type Class string

// Classes of differences that are expected: they stay for as long as both APIs
// are there, and mean nothing for a consumer that moves.
const (
	// SecondFamily: Endpoints hold one IP family.
	SecondFamily Class = "second-family"
	// OverCapacity: Endpoints were cut off at 1000 addresses, and say so.
	OverCapacity Class = "over-capacity"
	// Terminating: Endpoints know nothing of endpoints that terminate.
	Terminating Class = "terminating"
	// CustomSlices: a producer of its own writes slices, and nobody Endpoints.
	CustomSlices Class = "custom-slices"
	// SkipMirror: the Endpoints ask not to be mirrored, so the slices are
	// somebody's own.
	SkipMirror Class = "skip-mirror"
	// LeaderLock: the Endpoints object is a lock and no Service's.
	LeaderLock Class = "leader-lock"
	// WithoutPorts: the slices have the address, and no port for it (S2).
	WithoutPorts Class = "without-ports"
)

// Classes of differences to look at.
const (
	// EndpointsStale: Endpoints have an address that no slice and no Pod has.
	EndpointsStale Class = "endpoints-stale"
	// EndpointsBehind: slices have a backend, or a readiness, that Endpoints do
	// not have though they could: they are frozen.
	EndpointsBehind Class = "endpoints-behind"
	// TruncatedWrongly: Endpoints say that they were cut off and hold another
	// number of addresses than that.
	TruncatedWrongly Class = "truncated-wrongly"
	// NodeMissing: a Pod is in Endpoints and not in slices, since its Node does
	// not exist.
	NodeMissing Class = "node-missing"
	// SlicesBehind: a Pod is in Endpoints and not in slices for no such reason.
	SlicesBehind Class = "slices-behind"
	// NoEndpoints: the controllers write slices for the Service, and there is no
	// Endpoints object.
	NoEndpoints Class = "no-endpoints"
	// MirroredBesideManaged: the Service has slices from mirroring and from the
	// endpointslice controller.
	MirroredBesideManaged Class = "mirrored-beside-managed"
	// OrphanSlices: there are slices and no Service.
	OrphanSlices Class = "orphan-slices"
	// AnotherService: slices belong to a Service of that name with another UID.
	AnotherService Class = "another-service"
	// NotInReference: the slices have what the reference does not have.
	NotInReference Class = "not-in-reference"
	// OnlyInReference: the reference has what the slices do not have.
	OnlyInReference Class = "only-in-reference"
)

// Expected reports that nobody needs to look at a difference of this class.
func (c Class) Expected() bool {
	switch c {
	case SecondFamily, OverCapacity, Terminating, CustomSlices, SkipMirror, LeaderLock, WithoutPorts:
		return true
	}
	return false
}

// Classes returns all classes, the expected ones first.
func Classes() []Class {
	return []Class{
		SecondFamily, OverCapacity, Terminating, CustomSlices, SkipMirror, LeaderLock, WithoutPorts,
		EndpointsStale, EndpointsBehind, TruncatedWrongly, NodeMissing, SlicesBehind, NoEndpoints,
		MirroredBesideManaged, OrphanSlices, AnotherService, NotInReference, OnlyInReference,
	}
}
