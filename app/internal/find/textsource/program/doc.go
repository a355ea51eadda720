// Package program finds clients of Endpoints in programs: Python, the languages
// of the JVM, JavaScript and TypeScript, Rust, C#, Jsonnet, and Terraform. Rules
// that hold for all languages are in files named for what they judge; what one
// family of languages has of its own is in the file of its name.
package program
