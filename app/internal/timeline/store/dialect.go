package store

import (
	"context"
	"database/sql"
	"net/url"
	"strconv"
	"strings"
)

// dialect is what differs between the databases: everything else is plain SQL.
type dialect struct {
	// query rewrites a statement that is written for SQLite.
	query func(string) string
	// text makes a text that the database can hold.
	text func(string) string
	// lock begins a batch: one writer at a time.
	lock string
	// reading are the options of a transaction that sees one moment.
	reading sql.TxOptions
	// usedBytes is the size of the pages in use, the batch included; nil where
	// freed pages cannot be counted, and a size cannot be bounded.
	usedBytes func(context.Context, *sql.Tx) (int64, error)
}

var sqlite = dialect{
	query:     func(q string) string { return q },
	text:      func(s string) string { return s },
	reading:   sql.TxOptions{ReadOnly: true},
	usedBytes: sqlitePages,
}

var postgres = dialect{
	query:   numberParameters,
	text:    postgresText,
	lock:    `SELECT pg_advisory_xact_lock(` + strconv.Itoa(applicationID) + `)`,
	reading: sql.TxOptions{ReadOnly: true, Isolation: sql.LevelRepeatableRead},
}

// numberParameters writes ? as $1, $2 and so on. No statement has a ? in a text.
func numberParameters(query string) string {
	parts := strings.Split(query, "?")
	var b strings.Builder
	for i, part := range parts {
		if i > 0 {
			b.WriteString("$" + strconv.Itoa(i))
		}
		b.WriteString(part)
	}
	return b.String()
}

// postgresText leaves out what PostgreSQL's text cannot hold.
func postgresText(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}

// IsServer reports whether a recording's name is the URL of a server.
func IsServer(name string) bool {
	return strings.HasPrefix(name, "postgres://") || strings.HasPrefix(name, "postgresql://")
}

// DisplayName is a recording's name for people: a URL without what could be a
// password.
func DisplayName(name string) string {
	scheme, _, ok := strings.Cut(name, "://")
	if !ok {
		return name
	}
	u, err := url.Parse(name)
	if err != nil {
		return scheme + "://(unreadable)"
	}
	shown := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}
	return shown.String()
}
