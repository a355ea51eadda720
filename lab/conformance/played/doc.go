// Package played plays the conformance scenarios to the consumers that need
// nothing but Debian and the checkout, and holds what they do to what is known.
// 'make conformance' plays them to all, and writes the document.
package played
