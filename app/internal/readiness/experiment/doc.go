// Package experiment plans the stop experiment: what is done to find out whether
// the Endpoints controller may stop, as steps for people.
//
// [Make] turns what was read (the controller-manager's manifest, kubeadm's
// configuration, a cluster) into a [Plan]. It asks nobody and changes nothing.
//
// A change of a file is shown as a diff of the one value that changes, every other
// byte as it was, and is parsed before it is shown: a file that cannot be changed
// so is refused, and the plan says what to do by hand. Names from a cluster and
// from files are quoted in commands, and can make neither markup nor a line of
// their own.
package experiment
