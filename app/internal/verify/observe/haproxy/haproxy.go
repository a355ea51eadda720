// Package haproxy reads the servers of a HAProxy backend over its runtime API
// ("show servers state" and "show stat"). The socket needs no more than "level
// user".
//
// HAProxy's own word for a server and its weight decide:
//
//   - new: UP (also while checks begin to fail, "UP 1/3") and "no check", with a
//     weight above 0;
//   - draining: DRAIN; a weight of 0; NOLB, a server whose health check asks for
//     no new clients;
//   - idle: MAINT, DOWN (also while checks begin to pass).
//
// A backup server is idle while another server is new. When none is, all backup
// servers that are up are new: HAProxy takes the first of them alone unless the
// backend has "option allbackups", which it does not tell. It does not tell
// either that a persistent client, by a cookie for instance, may still be sent to
// a server that drains.
//
// Open counts sessions. In mode http a connection without a request is not a
// session: HAProxy keeps it for the next, or closes it.
package haproxy

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/slicewright/slicewright/app/internal/verify"
	driver "github.com/slicewright/slicewright/driver/haproxy"
)

// Source is one backend of one HAProxy.
type Source struct {
	// Socket is the runtime API: the path of a unix socket, or "host:port".
	Socket, Backend string
}

// Parse parses "SOCKET/BACKEND". SOCKET may have slashes.
func Parse(rest string) (*Source, error) {
	slash := strings.LastIndexByte(rest, '/')
	if slash < 0 {
		return nil, errors.New("has no slash between socket and backend")
	}
	s := &Source{Socket: rest[:slash], Backend: rest[slash+1:]}
	// The driver knows what HAProxy takes for a socket and for a name.
	if _, err := driver.New(driver.Config{Socket: s.Socket, Backend: s.Backend}); err != nil {
		return nil, err
	}
	return s, nil
}

// Members implements observe.Source.
func (s *Source) Members(ctx context.Context) ([]verify.Member, error) {
	rows, err := driver.Inspect(ctx, s.Socket, s.Backend)
	if err != nil {
		return nil, err
	}
	members, err := members(rows)
	if err != nil {
		return nil, fmt.Errorf("haproxy: backend %s at %s: %w", s.Backend, s.Socket, err)
	}
	return members, nil
}

func members(rows []driver.Row) ([]verify.Member, error) {
	uses := make([]verify.Use, len(rows))
	primary := false
	for i, row := range rows {
		var err error
		if uses[i], err = use(row.Status, row.Weight); err != nil {
			return nil, fmt.Errorf("server %s: %w", row.Name, err)
		}
		primary = primary || uses[i] == verify.New && !row.Backup
	}
	var list []verify.Member
	for i, row := range rows {
		detail := row.Status
		if row.Weight == 0 {
			detail += ", weight 0"
		}
		if row.Backup {
			detail += ", backup"
			if primary && uses[i] == verify.New {
				uses[i] = verify.Idle
			}
		}
		if !row.Addr.IsValid() || row.Addr.Port() == 0 {
			if uses[i] == verify.New {
				return nil, fmt.Errorf("server %s is %s and has no IP address with a port: it cannot be held against slices", row.Name, row.Status)
			}
			continue // a free slot, or a name that was not resolved
		}
		list = append(list, verify.Member{
			Address: row.Addr, Use: uses[i], Open: row.Current, Total: row.Total, Detail: detail,
		})
	}
	return list, nil
}

// use says what a status means. Its words are all that HAProxy's source has for
// servers (srv_hlt_st, and MAINT); what follows a blank says more about the same. A server without checks is not said
// to drain when its weight is 0, though it does.
func use(status string, weight int) (verify.Use, error) {
	word, _, _ := strings.Cut(status, " ")
	switch {
	case word != "UP" && status != "no check":
	case weight == 0:
		return verify.Draining, nil
	default:
		return verify.New, nil
	}
	switch word {
	case "DRAIN", "NOLB":
		return verify.Draining, nil
	case "DOWN", "MAINT":
		return verify.Idle, nil
	}
	return 0, fmt.Errorf("status %q is not known", status)
}
