package connect

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"regexp"
	"strconv"
	"strings"
)

// Target is a place to connect to, as a user writes it: SCHEME://HOST[:PORT][/PATH].
type Target struct {
	// Scheme is in lower case.
	Scheme string
	// Host is a name or an address, an IPv6 one without brackets.
	Host string
	Port uint16
	// Path is the request's path with its query, "/" at least; "" where the
	// scheme has no paths.
	Path string

	text string
}

// Scheme says what a scheme of targets is like.
type Scheme struct {
	// TLS: the connection starts with a handshake.
	TLS bool
	// Port is the one of targets that name none; 0 means that they must.
	Port uint16
	// Path: targets can have a path.
	Path bool
}

// password is what may be one, with its user: it ends in no error.
var password = regexp.MustCompile(`//[^/?#]*@`)

// ParseTarget reads a target of one of schemes. The error names the target and
// shows how one looks.
func ParseTarget(text string, schemes map[string]Scheme, example string) (Target, error) {
	fail := func(why string) (Target, error) {
		return Target{}, fmt.Errorf("target %q: %s; a target is like %s", password.ReplaceAllString(text, "//…@"), why, example)
	}
	name, _, found := strings.Cut(text, "://")
	if !found {
		return fail("has no scheme")
	}
	name = strings.ToLower(name)
	scheme, known := schemes[name]
	if !known {
		return fail("unknown scheme " + strconv.Quote(name))
	}
	u, err := url.Parse(text)
	if err != nil {
		var inner *url.Error
		if errors.As(err, &inner) {
			err = inner.Err // without the text, which is there already
		}
		return fail(err.Error())
	}
	switch {
	case u.User != nil:
		return fail("holds a user or a password; give a header instead")
	case u.Hostname() == "":
		return fail("names no host")
	case u.Fragment != "":
		return fail("has a fragment, which no server is ever sent")
	case !scheme.Path && (u.RawQuery != "" || u.Path != "" && u.Path != "/"):
		return fail("has a path, and " + name + " has none")
	}
	t := Target{Scheme: name, Host: u.Hostname(), Port: scheme.Port, text: text}
	if port := u.Port(); port != "" {
		number, err := strconv.ParseUint(port, 10, 16)
		if err != nil || number == 0 {
			return fail(strconv.Quote(port) + " is no port")
		}
		t.Port = uint16(number)
	}
	if t.Port == 0 {
		return fail("names no port")
	}
	if scheme.Path {
		t.Path = u.RequestURI()
	}
	return t, nil
}

// String is the target as it was given.
func (t Target) String() string { return t.text }

// HostPort is what to dial: "10.0.0.1:80", "[fd00::1]:80" or "name:80".
func (t Target) HostPort() string {
	return net.JoinHostPort(t.Host, strconv.Itoa(int(t.Port)))
}
