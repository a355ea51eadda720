// Package rbac says who may read or write Endpoints: it matches rules exactly as
// the API server's RBAC authorizer does, follows every binding to its subjects,
// and every ServiceAccount to the workloads that run as it.
//
//	analysis := rbac.Analyze(snapshot)
//	analysis.Findings, analysis.Coverage   // for the registry
//	analysis.Patches                       // rules to add before a switch
//
// A grant says what somebody may do, not that it was done. A finding is therefore never more than
// possible: the registry raises it when source code or an audit log says of the
// same ServiceAccount, workload or image that it does what it may. Findings of
// confidence broad (wildcards, Kubernetes' own view, edit, admin and
// cluster-admin, grants to everyone) are all returned with their whole subject, so
// that they can be joined too.
//
// [Carry] is the part that needs no cluster: rules in, the EndpointSlice rules
// that match them out.
//
// Everything here is a function of its arguments.
package rbac
