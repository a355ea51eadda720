// Package shadow compares what Endpoints say of a Service with what its
// EndpointSlices say, and says of each difference whether the two APIs always
// have it, or somebody has to look at it.
//
// [Compare] is pure; [Settle] decides when a comparison means something, from
// times that it is given; a [Report] has the result of a period of comparing.
// Package live, below, watches a cluster: no other part of the product watches
// Endpoints.
package shadow
