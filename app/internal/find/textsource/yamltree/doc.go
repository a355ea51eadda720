// Package yamltree reads YAML into nodes with positions, by lines where the
// parser refuses, and answers questions about the nodes.
package yamltree
