// Package template reads the actions of Helm's and Jinja's templates: what they
// look up in the cluster, and what they leave of the text around them.
package template
