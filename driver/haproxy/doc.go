// Package haproxy publishes a set of backends to one backend of HAProxy, at run
// time, over its runtime API ("stats socket").
//
// A [Driver] implements [publish.Driver]. Each of its calls opens one connection
// and sends all its commands there, in batches. It keeps nothing between calls:
// a connection that were kept would go on talking to the process from before a
// reload.
//
// What is guaranteed:
//   - A server of ours is recognised by its name alone, so a restart of either
//     side loses nothing, and servers with other names are never touched.
//   - New servers take traffic before old ones stop. When a command of one phase
//     fails, no later phase is sent: nothing goes out because something could
//     not come in.
//   - A server that leaves is drained first. It is deleted after its connections
//     have ended, or have been cut because [publish.Desired].DrainTimeout passed.
//     It is never cut early.
//   - Nothing but validated names and IP addresses ever enters a command.
//
// HAProxy before 2.6 cannot add servers. For it, [Slots] mode fills the servers
// of a server-template line. A slot that has a connection, or may get one, never
// changes its address.
//
// A Driver must not be used by several goroutines at once, as the interface says.
package haproxy
