// Package connect makes one new connection the way a client would: to the
// address that a name has at that moment, from an address of one's choice, with
// or without TLS, and only to where it is allowed.
//
// Probes and long connections stand on it. Nothing here is pooled or tried
// twice: a connection that a client would not have got shows as a failure.
package connect
