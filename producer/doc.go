// Package producer is for programs that publish addresses themselves: of an
// external database, virtual machines, another cluster. It turns what a
// program wants (a [Desired]) into the fewest writes of EndpointSlices, and
// Endpoints manifests into EndpointSlice manifests ([Convert]).
//
// [Desired.Plan] is pure: slices in, writes out. [Writer] reads the slices of
// one Service, plans and carries the plan out. Guarantees of a plan:
//
//   - It touches only slices whose label endpointslice.kubernetes.io/managed-by
//     is the producer's own, of the one Service. All others are as if they were
//     not there.
//   - Carried out in full, the own slices hold exactly the desired endpoints, and
//     the next plan is empty.
//   - An endpoint stays in its slice. A slice whose content is right is not
//     written.
//   - Each write is a request of its own, so a consumer sees every state in
//     between. In none of them is an address or a backend missing that was there
//     before and is there after: one that changes its slice is in both for a
//     while (S6, S7), never in none.
package producer
