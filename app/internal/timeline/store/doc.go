// Package store keeps a timeline's events in a database.
//
// A database is divided into segments. Each begins with the whole state as it
// was, and has its own dictionaries, so that a segment can be read without those
// before it and be deleted without those after it. Within a segment, a write of
// a slice is one row, and one row for every endpoint that it changed.
//
// One Writer at a time owns a database; readers may read while it writes, and
// see whole batches. What a batch holds is safe against a kill of the process
// from the moment when Commit returns; against a crash of the machine from the
// next checkpoint on (SQLite's WAL mode with synchronous=NORMAL). The file is
// whole in both cases.
package store
