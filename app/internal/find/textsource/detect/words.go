package detect

import "bytes"

// ContainsAny reports whether data has one of a few words.
func ContainsAny(data []byte, words [][]byte) bool {
	for _, w := range words {
		if bytes.Contains(data, w) {
			return true
		}
	}
	return false
}

func Needles(words ...string) [][]byte {
	out := make([][]byte, len(words))
	for i, w := range words {
		out[i] = []byte(w)
	}
	return out
}

func IsWordByte(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

// Overwrite writes a value and blanks over an action, and keeps its line ends.
func Overwrite(at []byte, value string) {
	for i := range at {
		switch {
		case i < len(value):
			at[i] = value[i]
		case at[i] != '\n' && at[i] != '\r':
			at[i] = ' '
		}
	}
}
