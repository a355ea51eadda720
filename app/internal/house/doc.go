// Package house holds the tests of the programs' floors, and of the documents
// that are about all of the project. The checks are in the library's
// internal/house.
package house
