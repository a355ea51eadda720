// Package template renders the backends of an upstream into a file, has it
// checked, and reloads whatever reads it.
//
// The file is replaced atomically, and only when its bytes change. The command
// lists are run without a shell. When the check or the reload fails, the last
// content that was reloaded comes back, and the error carries what the command
// printed.
//
// The values that a template is given come from EndpointSlices, and are
// untrusted. Addresses and numbers are of their own types; every text is a
// [Word], which prints as harmless letters only.
package template
