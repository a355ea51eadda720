// Package publish brings a set of backends to a load balancer and keeps it
// there through every failure.
package publish
