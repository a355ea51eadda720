package endpointset

import "encoding/hex"

// parseUUID reads the canonical lower-case form, the one that the API server
// gives its objects. Any other UID is legal too and is kept as text.
func parseUUID(s string) (uuid [16]byte, ok bool) {
	if len(s) != 36 || s[8] != '-' || s[13] != '-' || s[18] != '-' || s[23] != '-' {
		return uuid, false
	}
	out := 0
	for i := 0; i < len(s); {
		if s[i] == '-' {
			i++
			continue
		}
		high, low := hexDigit(s[i]), hexDigit(s[i+1])
		if high < 0 || low < 0 {
			return [16]byte{}, false
		}
		uuid[out] = byte(high<<4 | low)
		out++
		i += 2
	}
	// All zeros is how "no UID" is kept, so a UUID of zeros goes as text.
	return uuid, uuid != [16]byte{}
}

func hexDigit(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c && c <= 'f':
		return int(c-'a') + 10
	}
	return -1
}

// formatUUID is the inverse of parseUUID; all zeros give "".
func formatUUID(uuid [16]byte) string {
	if uuid == [16]byte{} {
		return ""
	}
	var b [36]byte
	hex.Encode(b[0:8], uuid[0:4])
	b[8] = '-'
	hex.Encode(b[9:13], uuid[4:6])
	b[13] = '-'
	hex.Encode(b[14:18], uuid[6:8])
	b[18] = '-'
	hex.Encode(b[19:23], uuid[8:10])
	b[23] = '-'
	hex.Encode(b[24:36], uuid[10:16])
	return string(b[:])
}
