// Package house holds the tests that keep the three modules in order: the
// floors (which package may import which), the purity of some packages, and the
// number of external packages behind a package or program. The floors are in
// docs/architecture.md.
//
// The checks are here; each module has a test with its own floors and budgets.
package house
