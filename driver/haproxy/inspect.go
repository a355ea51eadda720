package haproxy

import (
	"context"
	"fmt"
	"strconv"
	"strings"
)

// A Row is one server of a backend, ours or not, with its figures from
// HAProxy's statistics.
type Row struct {
	Server
	// Status is HAProxy's word for what it does with the server, health checks
	// included: "UP", "no check", "DOWN 1/2", "DRAIN", "MAINT (resolution)" and
	// more. It is printable whatever HAProxy answered.
	Status string
	// Backup says that it gets connections only while no other server can.
	Backup bool
	// Weight is the one in effect. A server with 0 gets no new connections but
	// those of persistent clients, whatever its Status.
	Weight int
	// Current counts its open sessions, Total those that it ever had since
	// HAProxy started or "clear counters" was given; -1 if HAProxy does not say.
	Current, Total int64
}

// Inspect reads all servers of a backend once and changes nothing. A backend
// without servers has no rows; one that does not exist is [ErrNoBackend]. A
// socket with "level user" is enough.
func Inspect(ctx context.Context, socket, backend string) ([]Row, error) {
	d, err := New(Config{Socket: socket, Backend: backend})
	if err != nil {
		return nil, err
	}
	answers, err := d.ask(ctx)
	if err != nil {
		return nil, d.failed("inspect", err)
	}
	rows, err := parseRows(answers[0], answers[1], backend)
	if err != nil {
		return nil, d.failed("inspect", err)
	}
	return rows, nil
}

// parseRows reads the servers with the rest of their rows of "show stat".
func parseRows(state, stat, backend string) ([]Row, error) {
	known := make(map[string]Row)
	servers, err := parseServers(state, stat, backend, func(name string, get func(string) string) error {
		row, err := parseRow(get)
		known[name] = row
		return err
	})
	if err != nil {
		return nil, err
	}
	var rows []Row
	for _, s := range servers {
		row := known[s.Name]
		row.Server = s
		rows = append(rows, row)
	}
	return rows, nil
}

func parseRow(get func(column string) string) (Row, error) {
	row := Row{Status: get("status"), Backup: get("bck") == "1", Total: -1}
	if row.Status == "" || strings.ContainsFunc(row.Status, func(r rune) bool { return r < ' ' || r > '~' }) {
		return row, fmt.Errorf("status %.40q is no word of HAProxy's", row.Status)
	}
	var err error
	if row.Weight, err = strconv.Atoi(get("weight")); err != nil || row.Weight < 0 {
		return row, fmt.Errorf("weight %.40q is not a number", get("weight"))
	}
	if row.Current, err = strconv.ParseInt(get("scur"), 10, 32); err != nil {
		return row, fmt.Errorf("scur: %w", err)
	}
	if total := get("stot"); total != "" {
		if row.Total, err = strconv.ParseInt(total, 10, 64); err != nil || row.Total < 0 {
			return row, fmt.Errorf("stot %.40q is not a count", total)
		}
	}
	return row, nil
}
