// Package shadow compares what Endpoints say of a Service with what its
// EndpointSlices say, and says of each difference whether it is one that the two
// APIs always have, or one to look at.
//
// It is the only package of the product that has to do with Endpoints of a
// cluster. [Compare] is pure; [Settle] decides when a comparison means
// something, of times that it is given.
package shadow
