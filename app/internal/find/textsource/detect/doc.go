// Package detect is the core that all detectors of texts share: the text that is
// read, with the place of each byte in its file; the hit that a detector reports;
// the kind of a file; and the Detector itself. It knows no language and no
// client.
package detect
