// Package conformance runs consumers of EndpointSlices and Endpoints for real,
// against scenarios written by hand, and says of each what it did.
//
//	Consumer   how to start one, reach it and read its view: a YAML file
//	Scenario   what is written to the API server, step by step, and which
//	           addresses have to get new connections after each, by which rule
//	Run        every consumer in every scenario, in a lab
//	Results    what was seen, judged; docs/conformance.md is made of it
//
// What is expected is written down in the scenarios, never computed: a table
// that came out of the product's own join would prove nothing about it.
package conformance
