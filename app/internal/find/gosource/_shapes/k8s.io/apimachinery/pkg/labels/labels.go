// Package labels is a stub with the shape of the real one.
package labels

type Selector interface{ String() string }

func Everything() Selector { return nil }
