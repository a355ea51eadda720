// Package release holds the test that plays a release of the modules.
package release
