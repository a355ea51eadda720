// Package house holds the test of the lab's floors, and of what the lab may take
// of the product.
package house
