package shadow

// Explanation is what a class of differences is, and what to do about it: "" for
// those that are expected.
type Explanation struct {
	What, Do string
}

// Explain returns a class's explanation, in sentences without an end. It is zero
// for what is no class.
func (c Class) Explain() Explanation { return explanations[c] }

var explanations = map[Class]Explanation{
	SecondFamily: {What: "Endpoints hold one IP family: the Service's first"},
	OverCapacity: {What: "Endpoints hold 1000 addresses and say that they were cut off"},
	Terminating:  {What: "Endpoints know nothing of terminating endpoints"},
	CustomSlices: {What: "slices of another producer, and no Endpoints object"},
	SkipMirror:   {What: "the Endpoints object asks not to be mirrored: the slices are somebody's own"},
	LeaderLock:   {What: "the Endpoints object is a lock"},
	WithoutPorts: {What: "the slices have the address and no port for it"},

	EndpointsStale:        {"an address that no slice and no Pod has", "a consumer that still uses Endpoints sends there; move it first"},
	EndpointsBehind:       {"a backend or a readiness that Endpoints lack though they could have it", "does anybody still write them?"},
	TruncatedWrongly:      {"said to be cut off at 1000, with another number of addresses", "the writer is not the endpoints controller of today"},
	NodeMissing:           {"a Pod in Endpoints and not in slices, on a Node that does not exist", "remove the Pod or bring the Node"},
	SlicesBehind:          {"a Pod in Endpoints and not in slices, for no such reason", "is the endpointslice controller running?"},
	NoEndpoints:           {"slices of the controllers, and no Endpoints object", "somebody deleted it, or the old controller is off"},
	MirroredBesideManaged: {"slices from mirroring and from the controller", "the Service had no selector once; delete the old Endpoints object"},
	OrphanSlices:          {"slices and no Service", "their producer forgot them"},
	AnotherService:        {"slices that belong to a Service of that name with another UID", "they go with the garbage collector, or their producer forgot them"},
	NotInReference:        {"the slices have what the reference does not have", "where no equality can be expected, the reference decides"},
	OnlyInReference:       {"the reference has what the slices do not have", "where no equality can be expected, the reference decides"},
}
