package search

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/slicewright/slicewright/app/internal/find/apimetrics"
	"github.com/slicewright/slicewright/app/internal/find/audit"
	"github.com/slicewright/slicewright/app/internal/find/pipeline"
)

// AuditLogs are files of one cluster's audit log, which are read as one log.
type AuditLogs struct {
	// Names are files and directories, or "-" for Stdin.
	Names   []string
	Stdin   io.Reader
	Options audit.Options
}

// Doing implements [Source].
func (a AuditLogs) Doing() string { return "reading audit logs" }

// Read implements [Source].
func (a AuditLogs) Read(ctx context.Context, found *pipeline.Found, _ func(string)) error {
	result := audit.Scan(ctx, a.Names, a.Stdin, a.Options)
	t := result.Totals
	found.Logs = append(found.Logs, pipeline.Log{
		Reading: pipeline.Reading{Findings: result.Findings, Coverage: result.Coverage},
		Totals:  &apimetrics.Explained{Requests: t.Requests, Self: t.Self, OpenWatches: t.OpenWatches, First: t.First, Last: t.Last},
	})
	return nil
}

// Aggregate is the result of a query to an audit log that is kept elsewhere.
type Aggregate struct {
	// Name is the file, or "-" for Stdin.
	Name    string
	Stdin   io.Reader
	Options audit.Options
}

// Doing implements [Source].
func (a Aggregate) Doing() string { return "reading aggregates" }

// Read implements [Source]. A file of another form is an error.
func (a Aggregate) Read(_ context.Context, found *pipeline.Found, _ func(string)) error {
	in := a.Stdin
	if a.Name != "-" {
		f, err := os.Open(a.Name)
		if err != nil {
			return fmt.Errorf("reading the aggregate: %w", err)
		}
		defer f.Close()
		in = f
	}
	result, err := audit.ReadAggregate(a.Name, in, a.Options)
	if err != nil {
		return err
	}
	found.Logs = append(found.Logs, pipeline.Log{Reading: pipeline.Reading{Findings: result.Findings, Coverage: result.Coverage}})
	return nil
}
