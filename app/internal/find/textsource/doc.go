// Package textsource finds who reads or writes Endpoints in everything that is
// not Go: programs in Python, Java, Kotlin, JavaScript, TypeScript, Rust and
// C#, shell scripts, Terraform, Ansible, Helm templates, Kubernetes YAML, and
// Prometheus' configuration with its copies.
//
// A file is first searched for a few words; only a file that has one is read
// as what it is: shell by a parser, YAML by a parser with positions, code by
// the tokenizer in package lex, so that comments, documentation and prose are
// never findings. What could not be read well is in the coverage, and the rest
// is still done.
//
// This package walks the tree, searches the files, renders charts and turns hits
// into findings. What is a hit is decided in the rooms below it: package detect is
// the core, and packages shell, program, manifests and settings have a detector
// for each kind of text.
//
// Source and configuration alone say that somebody may read Endpoints, not
// that anybody did: a finding here is evidence.Likely at most, and
// evidence.Possible where a name is put together at run time or where only a
// default gives it.
package textsource
