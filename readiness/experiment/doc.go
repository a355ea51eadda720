// Package experiment is the stop experiment: what is done to find out whether
// the Endpoints controller may stop.
package experiment
