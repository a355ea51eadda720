// Package shell finds commands that read or write Endpoints: in scripts, which
// a parser reads, and in texts of which some lines are commands, such as a
// Makefile. Programs and manifests hand it the command lines that they hold.
package shell
