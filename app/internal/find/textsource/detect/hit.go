package detect

import (
	"strings"

	"github.com/slicewright/slicewright/app/internal/find/evidence"
)

// Hit is a finding before it has a line number.
type Hit struct {
	Offset     int
	Detector   string
	Class      evidence.Class
	Confidence evidence.Confidence
	Verb       string
	Access     string
	Namespace  string
	Advice     string
	Note       string
	Dual       bool
	Subject    evidence.Subject
	// Setting is what turns a library to slices. Another file may have it, so
	// that only the whole tree decides about the hit.
	Setting string
}

// ClassOf is the class that follows from a verb alone.
func ClassOf(verb string) evidence.Class {
	switch verb {
	case "create", "update", "patch", "delete":
		return evidence.Producer
	}
	return evidence.Reader
}

// KnownNamespace drops a namespace that only the run will tell.
func KnownNamespace(ns string) string {
	if strings.ContainsAny(ns, "{}$%<>(\x00") {
		return ""
	}
	return ns
}
