// Package publishtest helps to write a driver, and programs that use one.
//
// [Run] is the suite that every driver has to pass: ours, and those that others
// write. [Balancer] is a load balancer in memory with a driver of its own, for
// tests of a program that publishes. The Balancer passes the suite.
//
// The package is for tests: it imports testing.
package publishtest
