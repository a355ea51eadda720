// Package audit finds in Kubernetes audit logs who reads and writes Endpoints.
//
// In go files, directories and streams in any of the shapes that logs really
// have: JSON lines, lines with a prefix before the JSON, EventList documents
// and webhook batches, CloudWatch exports (EKS), Cloud Logging entries (GKE)
// and Azure Monitor records (AKS), each of them gzipped too. Out come findings
// by identity, and a coverage that says what was not seen.
//
// # What counts as one request
//
// The API server writes one event a stage and gives all stages of a request one
// audit ID. A short request counts at its last stage (ResponseComplete or
// Panic). A watch counts at ResponseStarted, since it may stay open for longer
// than the log; its ResponseComplete then only closes it. A watch whose
// beginning is not in the log counts at its end. So every request counts once
// whichever stages the policy keeps.
//
// # Memory
//
// Three things are kept: one record an identity (user and product of the user
// agent, both bounded), the watches that are open at this point of the log, and
// the audit IDs of the last requests (at most 2 × 65536), which recognise an
// event that a webhook sent twice or that a rotated copy repeats. Nothing grows
// with the length of the log.
//
// # Order
//
// Chunks of a file are decoded in parallel and counted in the order of the file,
// so that a result does not depend on the number of processors.
package audit
