// Package shadow compares what Endpoints say of a Service with what its
// EndpointSlices say, and says of each difference whether it is one that the two
// APIs always have, or one to look at.
//
// [Compare] is pure; [Settle] decides when a comparison means something, of times
// that it is given; a [Report] says what a time of comparing came to. Package
// live, below, watches a cluster: no other part of the product watches Endpoints.
package shadow
