package haproxy

import (
	"errors"
	"fmt"
	"strings"

	"github.com/slicewright/slicewright/internal/text"
)

// What a caller may want to tell apart. Each is wrapped with the socket, the
// backend and what to do.
var (
	// ErrNoBackend: HAProxy's configuration has no such backend.
	ErrNoBackend = errors.New("no such backend")
	// ErrPermission: the socket has no "level admin".
	ErrPermission = errors.New("permission denied")
	// ErrVersion: this HAProxy is too old for mode dynamic.
	ErrVersion = errors.New("HAProxy cannot add servers at run time")
)

// An outcome is what HAProxy's answer to a command means.
type outcome uint8

const (
	done outcome = iota
	// exists: a server of that name is there already; whether it is the one
	// wanted is still to be seen.
	exists
	// gone: the server to take out is not there.
	gone
	// held: connections do not let the server be deleted yet.
	held
)

// judge says what an answer to a command means. Texts are those of HAProxy 2.6
// and 3.0; the severity comes first, as "[6]: ".
func judge(v verb, answer string) (outcome, error) {
	text := strings.TrimSpace(answer)
	if severity, rest, ok := strings.Cut(text, "]: "); ok && len(severity) == 2 && severity[0] == '[' {
		text = rest
	}
	switch {
	case text == "" && v != verbAdd && v != verbDelete && v != verbAddr:
		return done, nil
	case v == verbAdd && text == "New server registered.",
		v == verbDelete && text == "Server deleted.",
		v == verbAddr && (strings.Contains(text, " changed from ") || strings.Contains(text, "no need to change")):
		return done, nil
	case v == verbAdd && (strings.HasPrefix(text, "Already exists a server") || strings.HasPrefix(text, "'id' : custom id ")):
		// HAProxy looks at the id first, and it goes with the name.
		return exists, nil
	case v.leaving() && text == "No such server.":
		return gone, nil
	case v == verbDelete && (strings.HasPrefix(text, "Server still has connections") ||
		strings.HasPrefix(text, "Only servers in maintenance")):
		// The second: someone made it ready again. The next look shows it.
		return held, nil
	}
	return done, refusal(text)
}

// refusal turns HAProxy's words into an error that says what to do.
func refusal(text string) error {
	switch {
	case strings.HasPrefix(text, "Permission denied"):
		return fmt.Errorf("%w: the socket may only be read; give its stats socket line \"level admin\"", ErrPermission)
	case text == "No such backend.", text == "Can't find backend.", text == "No such proxy.":
		return fmt.Errorf("%w: add it to HAProxy's configuration, or correct the name", ErrNoBackend)
	case strings.HasPrefix(text, "Backend must use a dynamic load balancing"):
		return fmt.Errorf("HAProxy says %q: give the backend \"balance roundrobin\", \"leastconn\" or \"random\"", text)
	case strings.HasPrefix(text, "Health check was not configured"):
		return fmt.Errorf("HAProxy says %q: a server of this name was added without check; delete it", text)
	case strings.HasPrefix(text, "Unknown command"):
		return fmt.Errorf("%w: it does not know the command; use mode slots", ErrVersion)
	}
	return fmt.Errorf("HAProxy says %q", clipped(text))
}

// clipped is an answer that is short enough for a message.
func clipped(answer string) string { return text.Clip(answer, 200) }
