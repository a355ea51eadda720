// Package incluster gives a program what a container of a Pod has: a
// ServiceAccount with a Role, its token in the place where libraries look for
// it, and the address of the API server in the environment.
//
// Libraries that know no other way than "in the cluster" then run as they are,
// and with no more rights than their documents ask for.
package incluster
