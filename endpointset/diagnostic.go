package endpointset

import (
	"fmt"
)

// Code names a kind of [Diagnostic].
type Code string

// The codes.
const (
	// CodeNoPort: a port without a number, or a slice without ports, gives no
	// backend (S2).
	CodeNoPort Code = "no-port"
	// CodeExtraAddresses: an endpoint has more than one address; only the first
	// has a meaning (S3).
	CodeExtraAddresses Code = "extra-addresses"
	// CodeInvalidAddress: an address is missing, does not parse, has a zone or is
	// of another family than its slice says; that endpoint is left out (S3).
	CodeInvalidAddress Code = "invalid-address"
	// CodeUnsupportedAddressType: the slice is neither IPv4 nor IPv6 (S3).
	CodeUnsupportedAddressType Code = "unsupported-address-type"
	// CodeDuplicate: one backend is in more than one record (S6).
	CodeDuplicate Code = "duplicate"
	// CodeMirroredBesideManaged: a Service has slices from the controller and from
	// mirroring, so that somebody writes Endpoints for a Service with a selector.
	CodeMirroredBesideManaged Code = "mirrored-beside-managed"
	// CodeReadyWithoutServing: endpoints are ready and not serving, which only a
	// Service that publishes not-ready addresses has (S13).
	CodeReadyWithoutServing Code = "ready-without-serving"
)

// Diagnostic says what was strange about the slices of a Service. It is for
// people; the set is exact with or without it.
type Diagnostic struct {
	Code Code `json:"code"`
	// Slice is the EndpointSlice that it is about, "" if it is about several.
	Slice string `json:"slice,omitempty"`
	// Message is a sentence. Text from slices is quoted and cut in it.
	Message string `json:"message"`
}

// A tally counts one kind of thing and keeps the first as an example, so that
// a slice of a thousand bad endpoints gives one diagnostic and not a thousand.
type tally struct {
	count   int
	example string
}

func (t *tally) addf(format string, args ...any) {
	if t.count == 0 {
		t.example = fmt.Sprintf(format, args...)
	}
	t.count++
}

// text returns "X" or "X and N more".
func (t *tally) text() string {
	if t.count == 1 {
		return t.example
	}
	return fmt.Sprintf("%s and %d more", t.example, t.count-1)
}
