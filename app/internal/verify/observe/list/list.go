// Package list reads addresses from a file, or from a URL: for consumers that
// say what they have in a list, and for those that are fed with one.
//
// The text is lines of ip:port, an IPv6 address in brackets, or a JSON list of
// such strings. An address without a port is one whose port the consumer does
// not tell. Empty lines, and what follows a #, mean nothing. A text without
// addresses is a true empty list, so a file should be replaced in one step (write
// beside it, then rename), as a half-written one cannot be told from a short one.
//
// Every address listed is new: a list cannot say that a backend is draining, nor
// how many connections it has. That the consumer acts on its list is not known.
package list

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"net/url"
	"os"
	"strings"

	"github.com/slicewright/slicewright/app/internal/verify"
	"github.com/slicewright/slicewright/app/internal/verify/observe/internal/fetch"
	"github.com/slicewright/slicewright/internal/text"
)

// maxBytes bounds a list: some 400,000 addresses.
const maxBytes = 8 << 20

// A Format is how a list is written.
type Format string

// The formats. The zero value tells them apart by the text.
const (
	Lines Format = "lines"
	JSON  Format = "json"
)

// File is a file with a list. It is opened at each look.
type File struct {
	Path   string
	Format Format
}

// ParseFile parses "PATH[?format=lines|json]".
func ParseFile(rest string) (*File, error) {
	path, query, found := strings.Cut(rest, "?")
	if path == "" {
		return nil, errors.New("has no path")
	}
	f := &File{Path: path}
	if found {
		format, ok := strings.CutPrefix(query, "format=")
		if f.Format = Format(format); !ok || f.Format != Lines && f.Format != JSON {
			return nil, fmt.Errorf("%q is neither format=lines nor format=json", query)
		}
	}
	return f, nil
}

// Members implements observe.Source.
func (f *File) Members(context.Context) ([]verify.Member, error) {
	// A FIFO without a writer would hold the look for ever, and a device never
	// ends.
	if info, err := os.Stat(f.Path); err != nil {
		return nil, fmt.Errorf("list: %w", err)
	} else if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("list: %s is not a regular file", f.Path)
	}
	file, err := os.Open(f.Path)
	if err != nil {
		return nil, fmt.Errorf("list: %w", err)
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("list: %w", err)
	}
	if len(text) > maxBytes {
		return nil, fmt.Errorf("list: %s is longer than %d bytes", f.Path, maxBytes)
	}
	members, err := parse(text, f.Format)
	if err != nil {
		return nil, fmt.Errorf("list: %s: %w", f.Path, err)
	}
	return members, nil
}

// URL is an address that answers with a list.
type URL struct{ url *url.URL }

// ParseURL parses an http or https URL.
func ParseURL(rest string) (URL, error) {
	u, err := fetch.ParseURL(rest)
	return URL{u}, err
}

// String returns the URL without a password.
func (u URL) String() string {
	if u.url == nil {
		return ""
	}
	return u.url.Redacted()
}

// Members implements observe.Source.
func (u URL) Members(ctx context.Context) ([]verify.Member, error) {
	text, err := fetch.Get(ctx, u.url, maxBytes)
	if err != nil {
		return nil, fmt.Errorf("list: %w", err)
	}
	members, err := parse(text, "")
	if err != nil {
		return nil, fmt.Errorf("list: %s: %w", u, err)
	}
	return members, nil
}

func parse(text []byte, format Format) ([]verify.Member, error) {
	if format == JSON || format == "" && looksLikeJSON(text) {
		return parseJSON(text)
	}
	var members []verify.Member
	number := 0
	for line := range strings.Lines(string(text)) {
		number++
		line, _, _ = strings.Cut(line, "#")
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		m, err := member(line)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		members = append(members, m)
	}
	return members, nil
}

// looksLikeJSON tells a list of strings from a line that starts with an IPv6
// address in brackets.
func looksLikeJSON(text []byte) bool {
	inside, ok := bytes.CutPrefix(bytes.TrimSpace(text), []byte("["))
	inside = bytes.TrimSpace(inside)
	return ok && len(inside) > 0 && (inside[0] == '"' || inside[0] == ']')
}

func parseJSON(text []byte) ([]verify.Member, error) {
	var addresses []*string
	if err := json.Unmarshal(text, &addresses); err != nil {
		return nil, fmt.Errorf("is not a JSON list of strings: %w", err)
	}
	if addresses == nil {
		return nil, errors.New("is null, which is no list")
	}
	members := make([]verify.Member, len(addresses))
	for i, address := range addresses {
		if address == nil {
			return nil, fmt.Errorf("element %d is null", i)
		}
		var err error
		if members[i], err = member(*address); err != nil {
			return nil, fmt.Errorf("element %d: %w", i, err)
		}
	}
	return members, nil
}

// member reads ip:port, or ip alone.
func member(written string) (verify.Member, error) {
	m := verify.Member{Use: verify.New, Open: verify.Unknown, Total: verify.Unknown}
	address, err := netip.ParseAddrPort(written)
	if err != nil {
		ip, errAlone := netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(written, "["), "]"))
		if errAlone != nil {
			return m, fmt.Errorf("%s is not ip:port", text.Quote(written))
		}
		address = netip.AddrPortFrom(ip, 0)
	} else if address.Port() == 0 {
		return m, fmt.Errorf("%s has port 0", text.Quote(written))
	}
	if address.Addr().Zone() != "" {
		return m, fmt.Errorf("%s has a zone", text.Quote(written))
	}
	m.Address = address
	return m, nil
}
