// Package house holds the test that keeps the house's floors apart: which
// package may import which. The floors are in docs/architecture.md.
package house
