// Words finds turns of phrase that CONTRIBUTING.md asks to avoid, in the text
// that a change adds: Markdown, and the comments and strings of Go files.
//
// It compares the working tree with a base: the merge base with origin/main or
// main, or the commit before this one if that would compare nothing. Old text is
// not looked at, and neither is a line that only moved.
//
//	go run -C tools ./words [-base COMMIT]
package main
