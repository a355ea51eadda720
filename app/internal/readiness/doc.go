// Package readiness answers whether the old controller may stop: named criteria
// over what the other commands found.
//
// [Evaluate] is a function of criteria, facts and a moment. A criterion is met
// only for evidence that it names; what no evidence decides is unknown, and says
// what would settle it. People can waive a criterion with their name, a reason
// and an expiry date. Taking evidence away never makes a criterion met.
package readiness
