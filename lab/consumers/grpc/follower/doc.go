// Package follower shows what a gRPC client does with what its resolver tells
// it: the addresses that the balancer was handed, and who answers a call.
//
//	Recorder   between a resolver and gRPC; keeps the last state
//	Serve      GET /view, the addresses; GET /ask, one call and who answered it
package follower
