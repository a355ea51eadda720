package endpointset

import "encoding/hex"

// parseUUID reads the canonical lower-case form, the one that the API server
// gives its objects. Any other UID is legal too and is kept as text.
func parseUUID(s string) (uuid [16]byte, ok bool) {
	if len(s) != 36 || s[8] != '-' || s[13] != '-' || s[18] != '-' || s[23] != '-' {
		return uuid, false
	}
	var seen byte
	for i, at := range uuidDigits {
		high, low := hexDigits[s[at]], hexDigits[s[at+1]]
		seen |= high | low
		uuid[i] = high<<4 | low&0xf
	}
	if seen&notHex != 0 {
		return [16]byte{}, false
	}
	// All zeros is how "no UID" is kept, so a UUID of zeros goes as text.
	return uuid, uuid != [16]byte{}
}

// uuidDigits are where the 16 pairs of digits begin in the canonical form.
var uuidDigits = [16]uint8{0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34}

// hexDigits are the values of the lower-case digits, notHex for anything else.
// A table has no branches that the random digits of a UUID would mispredict:
// it takes a third of the time.
var hexDigits = func() (table [256]byte) {
	for c := range table {
		table[c] = notHex
	}
	for i, c := range "0123456789abcdef" {
		table[c] = byte(i)
	}
	return table
}()

const notHex = 0x80

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
