package identify

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

// Answer is what there is to read.
type Answer struct {
	// Head is empty where the protocol has none.
	Head http.Header
	// Body is the answer's beginning, at most MaxBody bytes of it.
	Body []byte
	// Local and Remote are the two ends of the connection, while it is open.
	Local, Remote netip.AddrPort
	// Status is the HTTP status, 0 for other protocols.
	Status int
}

// MaxBody is how much of a body is looked at.
const MaxBody = 64 << 10

// Who is who gave an answer.
type Who struct {
	// Address is the zero value when only a name is known; its port is 0 when only
	// the address is.
	Address netip.AddrPort
	// Name is "" when only the address is known.
	Name string
}

// Names turns what a backend calls itself into an address; ok is false for a
// name that it does not know. It must be safe for concurrent use.
type Names func(name string) (address netip.AddrPort, ok bool)

// How reads who gave an answer. It is safe for concurrent use.
type How interface {
	// Who returns an error if the answer does not tell. Stream protocols ask again
	// as more comes.
	Who(ctx context.Context, a Answer) (Who, error)
	// String is as the user gave it.
	String() string
}

// Default tries a JSON body's usual fields, and else takes a body that is an
// address and nothing more.
var Default How = usual{}

// usualFields are the fields in which programs usually say who they are.
var (
	usualAddresses = []string{"ip", "address", "podIP", "pod_ip"}
	usualNames     = []string{"pod", "name", "hostname", "podName", "pod_name"}
)

// Forms is what Parse takes, for help texts.
const Forms = "json:FIELD, header:NAME, body, regexp:RE or exec:PROGRAM ARGS"

// Parse reads how an answer tells:
//
//	json:FIELD         a field of a JSON body, fields within fields with dots
//	header:NAME        a header
//	body               the whole body, without the white space around it
//	regexp:RE          what the one group of RE matches in the body
//	exec:PROGRAM ARGS  what a program of the user's prints; see Exec
//
// "" is Default.
func Parse(text string) (How, error) {
	kind, rest, _ := strings.Cut(text, ":")
	fail := func(why string) (How, error) {
		return nil, fmt.Errorf("identify %q: %s; it is one of %s", text, why, Forms)
	}
	switch kind {
	case "":
		if text == "" {
			return Default, nil
		}
	case "json":
		if rest == "" {
			return fail("names no field")
		}
		return field{path: strings.Split(rest, "."), text: text}, nil
	case "header":
		if !validHeader(rest) {
			return fail("names no header")
		}
		return header{name: http.CanonicalHeaderKey(rest)}, nil
	case "body":
		if text == "body" {
			return body{}, nil
		}
	case "regexp":
		re, err := regexp.Compile(rest)
		if err != nil {
			return fail(err.Error())
		}
		if re.NumSubexp() != 1 {
			return fail("has " + strconv.Itoa(re.NumSubexp()) + " groups instead of one")
		}
		return pattern{re}, nil
	case "exec":
		argv := strings.Fields(rest)
		if len(argv) == 0 {
			return fail("names no program")
		}
		return Exec(argv...), nil
	}
	return fail("unknown form")
}

func validHeader(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		return r != '-' && r != '_' && (r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r))
	})
}

// errSilent says that an answer tells nothing.
var errSilent = errors.New("it does not say who gave it")

// Read makes a Who of what a backend calls itself: IP, IP:PORT, or a name.
func Read(text string) (Who, error) {
	text = strings.TrimSpace(text)
	if address, err := netip.ParseAddrPort(text); err == nil {
		return Who{Address: netip.AddrPortFrom(plain(address.Addr()), address.Port())}, nil
	}
	if address, err := netip.ParseAddr(strings.Trim(text, "[]")); err == nil {
		return Who{Address: netip.AddrPortFrom(plain(address), 0)}, nil
	}
	// 253 is the longest name in Kubernetes and in DNS.
	if text == "" || len(text) > 253 || strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) || unicode.IsSpace(r) }) {
		return Who{}, fmt.Errorf("%w: %.60q is neither an address nor a name", errSilent, text)
	}
	return Who{Name: text}, nil
}

func plain(address netip.Addr) netip.Addr { return address.Unmap().WithZone("") }

// Resolve gives who an address by its name, if it has none and names knows it.
func (w Who) Resolve(names Names) Who {
	if !w.Address.IsValid() && names != nil {
		if address, ok := names(w.Name); ok {
			w.Address = address
		}
	}
	return w
}

// String is "NAME (ADDRESS)", or the one that is known.
func (w Who) String() string {
	address := ""
	if w.Address.IsValid() {
		address = w.Address.String()
		if w.Address.Port() == 0 {
			address = w.Address.Addr().String()
		}
	}
	switch {
	case w.Name == "":
		return address
	case address == "":
		return w.Name
	}
	return w.Name + " (" + address + ")"
}

type header struct{ name string }

func (h header) String() string { return "header:" + h.name }

func (h header) Who(_ context.Context, a Answer) (Who, error) {
	value := a.Head.Get(h.name)
	if value == "" {
		return Who{}, fmt.Errorf("%w: no header %s", errSilent, h.name)
	}
	return Read(value)
}

type body struct{}

func (body) String() string                               { return "body" }
func (body) Who(_ context.Context, a Answer) (Who, error) { return Read(string(a.Body)) }

type pattern struct{ re *regexp.Regexp }

func (p pattern) String() string { return "regexp:" + p.re.String() }

func (p pattern) Who(_ context.Context, a Answer) (Who, error) {
	match := p.re.FindSubmatch(a.Body)
	if match == nil {
		return Who{}, fmt.Errorf("%w: the pattern is not in it", errSilent)
	}
	return Read(string(match[1]))
}

type field struct {
	path []string
	text string
}

func (f field) String() string { return f.text }

func (f field) Who(_ context.Context, a Answer) (Who, error) {
	var value any
	if err := decode(a.Body, &value); err != nil {
		return Who{}, err
	}
	for _, name := range f.path {
		object, ok := value.(map[string]any)
		if !ok {
			return Who{}, fmt.Errorf("%w: no field %s", errSilent, strings.Join(f.path, "."))
		}
		value = object[name]
	}
	text, ok := value.(string)
	if !ok {
		return Who{}, fmt.Errorf("%w: field %s is no text", errSilent, strings.Join(f.path, "."))
	}
	return Read(text)
}

type usual struct{}

func (usual) String() string { return "" }

func (usual) Who(_ context.Context, a Answer) (Who, error) {
	var object map[string]any
	if decode(a.Body, &object) != nil {
		who, err := Read(string(a.Body))
		// A body that is one word need not be a name: only an address is believed
		// without being asked for.
		if err != nil || !who.Address.IsValid() {
			return Who{}, errSilent
		}
		return who, nil
	}
	var who Who
	for _, name := range usualAddresses {
		text, _ := object[name].(string)
		if read, err := Read(text); err == nil && read.Address.IsValid() {
			who.Address = read.Address
			break
		}
	}
	for _, name := range usualNames {
		text, _ := object[name].(string)
		read, err := Read(text)
		if err != nil {
			continue
		}
		if read.Address.IsValid() && !who.Address.IsValid() {
			who.Address = read.Address
		} else if read.Name != "" {
			who.Name = read.Name
			break
		}
	}
	if port, ok := object["port"].(float64); ok && who.Address.IsValid() && who.Address.Port() == 0 && port == float64(uint16(port)) {
		who.Address = netip.AddrPortFrom(who.Address.Addr(), uint16(port))
	}
	if who == (Who{}) {
		return Who{}, fmt.Errorf("%w: it has none of the fields %s, %s", errSilent, strings.Join(usualAddresses, ", "), strings.Join(usualNames, ", "))
	}
	return who, nil
}

// decode reads the one JSON value that text is.
func decode(text []byte, into any) error {
	if err := json.Unmarshal(bytes.TrimSpace(text), into); err != nil {
		return fmt.Errorf("%w: not JSON", errSilent)
	}
	return nil
}
