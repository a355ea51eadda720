package textsource

import (
	"strings"

	"github.com/slicewright/slicewright/app/internal/find/evidence"
)

// hit is a finding before it has a line number.
type hit struct {
	offset     int
	detector   string
	class      evidence.Class
	confidence evidence.Confidence
	verb       string
	access     string
	namespace  string
	advice     string
	note       string
	dual       bool
	subject    evidence.Subject
	// setting is what turns a library to slices. Another file may have it, so
	// that only the whole tree decides about the hit.
	setting string
}

// classOf is the class that follows from a verb alone.
func classOf(verb string) evidence.Class {
	switch verb {
	case "create", "update", "patch", "delete":
		return evidence.Producer
	}
	return evidence.Reader
}

// namespaceOf drops a namespace that only the run will tell.
func namespaceOf(ns string) string {
	if strings.ContainsAny(ns, "{}$%<>(\x00") {
		return ""
	}
	return ns
}
