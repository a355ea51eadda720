// Package manager is a stub with the shape of the real one.
package manager

type Options struct {
	LeaderElection             bool
	LeaderElectionResourceLock string
}
