// Package obstacles says what in a cluster has to change before Endpoints can go,
// though it is not in anybody's code: Services whose slices are mirrored from
// an Endpoints object, Services with such slices beside others, and a DNS server
// of a version that reads Endpoints alone.
//
// Everything here is a function of its arguments.
package obstacles
