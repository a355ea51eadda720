// Package live keeps findings current from audit events as they happen: as
// the backend of an API server's audit webhook, and by following a log file
// that grows and rotates.
//
// # What is never lost
//
// A batch is answered with 200 only after its events are in a journal on disk
// (written and synced). State is a snapshot and the journals since: after a
// crash both are read again. The position in a followed file is part of the
// snapshot, so a line counts once whatever ended the process.
//
// An API server sends a batch again if it got no answer; events are recognised
// by their audit IDs and count once.
package live
