package publication

import "fmt"

// Note says of a row what does not go together. It is not yet a fault: some are
// what publishNotReadyAddresses is for.
type Note struct {
	// Code is for programs, Text for people.
	Code string `json:"code"`
	Text string `json:"text"`
}

// The codes.
const (
	// ReadyWithoutServing: published although it is not ready: the mark of
	// publishNotReadyAddresses (S13).
	ReadyWithoutServing = "ready-without-serving"
	// RequestsToUnhealthy: ordinary requests come out at an application that says
	// that it is not well.
	RequestsToUnhealthy = "requests-to-unhealthy"
	// ReadyButUnhealthy: the slices call it ready and serving, and the application
	// says otherwise: the readiness probe asks something else than we do, or the
	// news is on its way.
	ReadyButUnhealthy = "ready-but-unhealthy"
	// HealthyNotServing: the application is well, and the slices say that it does
	// not serve.
	HealthyNotServing = "healthy-not-serving"
	// NotDiscovered: the slices call it ready, and a consumer does not have it.
	NotDiscovered = "not-discovered"
	// DiscoveredNotReady: a consumer has it, and the slices do not call it ready.
	DiscoveredNotReady = "discovered-not-ready"
	// DiscoveredNotInSlices: a consumer has it, and no slice.
	DiscoveredNotInSlices = "discovered-not-in-slices"
	// RequestsNotReady: ordinary requests come out here, and the slices do not call
	// it ready. While nothing else is ready, it can be a fallback (S10).
	RequestsNotReady = "requests-not-ready"
	// RequestsNotInSlices: ordinary requests come out where no slice points.
	RequestsNotInSlices = "requests-not-in-slices"
	// NoRequest: ready, and no ordinary request came out here. With few requests that
	// can be chance.
	NoRequest = "no-request"
)

// notes is the table of what does not go together.
func notes(r Row, requests Requests) []Note {
	var found []Note
	note := func(when bool, code, format string, args ...any) {
		if when {
			found = append(found, Note{Code: code, Text: fmt.Sprintf(format, args...)})
		}
	}
	discovered, missing := 0, 0
	for _, f := range r.Discovered {
		switch f {
		case Yes:
			discovered++
		case No:
			missing++
		}
	}
	note(r.Ready == Yes && r.Serving == No, ReadyWithoutServing,
		"published although not ready: ready is true by publishNotReadyAddresses, and serving, which tells of health, is false")
	note(r.Answered > 0 && r.Health == No, RequestsToUnhealthy,
		"%d of %d ordinary requests came out here, and the application says that it is not well", r.Answered, requests.Made)
	note(r.Ready == Yes && r.Serving == Yes && r.Health == No, ReadyButUnhealthy,
		"the slices call it ready and serving, and the application says that it is not well")
	note(r.Serving == No && r.Health == Yes, HealthyNotServing,
		"the application is well, and the slices say that it does not serve")
	note(r.Ready == Yes && r.Terminating != Yes && missing > 0, NotDiscovered,
		"the slices call it ready, and %d of %d consumers do not have it", missing, len(r.Discovered))
	note(r.InSlices == Yes && r.Ready == No && discovered > 0, DiscoveredNotReady,
		"%d of %d consumers have it, and the slices do not call it ready", discovered, len(r.Discovered))
	note(r.InSlices == No && discovered > 0, DiscoveredNotInSlices,
		"%d of %d consumers have it, and no slice does", discovered, len(r.Discovered))
	note(r.InSlices == Yes && r.Ready == No && r.Answered > 0, RequestsNotReady,
		"%d of %d ordinary requests came out here, and the slices do not call it ready", r.Answered, requests.Made)
	note(r.InSlices == No && r.Answered > 0, RequestsNotInSlices,
		"%d of %d ordinary requests came out here, and no slice points here", r.Answered, requests.Made)
	note(r.Ready == Yes && r.Terminating == No && requests.Made > 0 && requests.Unidentified == 0 && r.Answered == 0, NoRequest,
		"the slices call it ready, and none of %d ordinary requests came out here", requests.Made)
	return found
}
