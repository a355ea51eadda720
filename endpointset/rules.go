package endpointset

import (
	"time"

	discoveryv1 "k8s.io/api/discovery/v1"
)

// ConditionsOf returns the conditions of an endpoint with the absent ones filled
// in: an absent ready or serving is true, an absent terminating is false (S4).
func ConditionsOf(c discoveryv1.EndpointConditions) Conditions {
	return Conditions{
		Ready:       c.Ready == nil || *c.Ready,
		Serving:     c.Serving == nil || *c.Serving,
		Terminating: c.Terminating != nil && *c.Terminating,
	}
}

// FamilyOfAddressType returns the family of a slice's addressType, 0 for FQDN and
// every other type, which have no defined meaning (S3).
func FamilyOfAddressType(t discoveryv1.AddressType) Family {
	switch t {
	case discoveryv1.AddressTypeIPv4:
		return IPv4
	case discoveryv1.AddressTypeIPv6:
		return IPv6
	}
	return 0
}

// Record is what one slice says about one address, as far as it decides who
// speaks for the address (S6).
type Record struct {
	Conditions
	// TargetUID is the UID of the object behind the endpoint, "" without one.
	// Records without a UID count as one target.
	TargetUID string
	// Slice is the name of the slice, and Order the place of the record among
	// those of the slice that have the same address.
	Slice string
	Order int
	// ResourceVersion and Trigger are the slice's. An empty or malformed version
	// counts as the oldest.
	ResourceVersion string
	Trigger         time.Time
}

// Speaker returns the index of the record that speaks for an address, of all
// records that the slices of one Service have of it (S6): first the newest record
// of each target, then the most usable of those. It does not depend on the order
// of the records. Without a record it returns -1.
func Speaker(records []Record) int {
	if len(records) == 0 {
		return -1
	}
	claims := make([]claim, len(records))
	for i := range records {
		r := &records[i]
		claims[i] = claim{
			index: i, conditions: r.Conditions,
			version: wellFormed(r.ResourceVersion), trigger: unixNano(r.Trigger), slice: r.Slice, order: r.Order,
		}
		if uuid, ok := parseUUID(r.TargetUID); ok {
			claims[i].uid = uuid
		} else {
			claims[i].textUID = r.TargetUID
		}
	}
	return speaker(claims)
}

// unixNano returns a time as slices are kept with it: 0 for the zero time.
func unixNano(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}
