// Package pipeline turns what was read into the registry, in three stages:
//
//	Found -> Attributed -> registry.Registry
//
// [Found] is what the sources read: source code, objects, logs and metrics. Package
// search fills it. [Attribute] judges the objects and names whom each finding is
// about. [Attributed.Registry] joins the findings of one consumer into one entry.
//
// Everything here is a function of its arguments.
package pipeline
