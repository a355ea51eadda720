package search

import (
	"context"
	"io"

	"github.com/slicewright/slicewright/app/internal/find/apimetrics"
	"github.com/slicewright/slicewright/app/internal/find/apimetrics/scrape"
	"github.com/slicewright/slicewright/app/internal/find/evidence"
	"github.com/slicewright/slicewright/app/internal/find/pipeline"
)

// Metrics are the API servers' own counts.
type Metrics struct {
	// Pages are files and URLs of metrics pages, or "-" for Stdin: one for each API
	// server. Before are the same pages at an earlier time.
	Pages, Before []string
	// Prometheus is the URL of a server that scrapes the API servers; "" asks
	// nobody.
	Prometheus string
	Stdin      io.Reader
	Scraper    scrape.Scraper
}

// Doing implements [Source].
func (m Metrics) Doing() string { return "reading metrics" }

// Read implements [Source].
func (m Metrics) Read(ctx context.Context, found *pipeline.Found, _ func(string)) error {
	var out pipeline.Metrics
	add := func(to *apimetrics.Counts, from string, c apimetrics.Counts, err error) {
		if err != nil {
			out.Unread = append(out.Unread, evidence.Problem{Locator: from, Message: err.Error()})
			return
		}
		*to = to.Add(c)
	}
	var before apimetrics.Counts
	for _, page := range m.Pages {
		c, err := m.Scraper.Read(ctx, page, m.Stdin)
		add(&out.Counts, page, c, err)
	}
	for _, page := range m.Before {
		c, err := m.Scraper.Read(ctx, page, m.Stdin)
		add(&before, page, c, err)
	}
	if m.Prometheus != "" {
		c, err := m.Scraper.Prometheus(ctx, m.Prometheus)
		add(&out.Counts, m.Prometheus, c, err)
	}
	if len(m.Before) > 0 {
		out.Counts = out.Counts.Since(before)
	}
	found.Metrics = &out
	return nil
}
