package haproxy

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/netip"
	"strings"
)

const (
	letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	digits  = "0123456789"

	// ourPrefix starts the name of each server that the driver adds.
	ourPrefix = "sw-"
	// hashBytes of SHA-256 are in a name. Everybody who may write slices
	// chooses the addresses. With 128 bits nobody can search for two addresses
	// that collide.
	hashBytes = 16
)

// serverName is the stable name of the server at addr with the given options
// (see [Options.String]).
func serverName(addr netip.AddrPort, options string) string {
	sum := sha256.Sum256([]byte(addr.String() + options))
	return ourPrefix + hex.EncodeToString(sum[:hashBytes])
}

// isOurs reports whether serverName can have made a name.
func isOurs(name string) bool {
	hash, ok := strings.CutPrefix(name, ourPrefix)
	return ok && len(hash) == 2*hashBytes && strings.Trim(hash, "0123456789abcdef") == ""
}

// isSlot reports whether name is prefix and a number, as server-template makes
// them.
func isSlot(prefix, name string) bool {
	number, ok := strings.CutPrefix(name, prefix)
	return ok && number != "" && number[0] != '0' && strings.Trim(number, digits) == ""
}

// checkName accepts what HAProxy accepts as a proxy's or server's name, up to a
// length that leaves a command far from the limit of a line.
func checkName(name string) error {
	switch {
	case name == "":
		return errors.New("is empty")
	case len(name) > 200:
		return fmt.Errorf("%.20q… is longer than 200 bytes", name)
	case strings.Trim(name, letters+digits+"-_.:") != "":
		return fmt.Errorf("%q may hold letters, digits and - _ . : only", name)
	}
	return nil
}
