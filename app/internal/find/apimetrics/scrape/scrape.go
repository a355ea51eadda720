// Package scrape reads the API server's own counts from metrics pages, in files or
// by HTTP, and from Prometheus.
package scrape

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"

	"github.com/slicewright/slicewright/app/internal/find/apimetrics"
)

// Scraper reads metrics from files, API servers and Prometheus.
type Scraper struct {
	// Client makes the requests; it brings credentials and time limits.
	Client *http.Client
	// UserAgent names the program.
	UserAgent string
}

// Read reads a metrics page from a file, from "-" (in) or from a URL.
func (s Scraper) Read(ctx context.Context, from string, in io.Reader) (apimetrics.Counts, error) {
	if from == "-" {
		return Parse(in)
	}
	if strings.HasPrefix(from, "http://") || strings.HasPrefix(from, "https://") {
		body, err := s.get(ctx, from)
		if err != nil {
			return apimetrics.Counts{}, err
		}
		defer body.Close()
		return Parse(body)
	}
	f, err := os.Open(from)
	if err != nil {
		return apimetrics.Counts{}, fmt.Errorf("reading metrics: %w", err)
	}
	defer f.Close()
	c, err := Parse(f)
	if err != nil {
		return apimetrics.Counts{}, fmt.Errorf("%s: %w", from, err)
	}
	return c, nil
}

// Prometheus asks a Prometheus server for the same counts.
func (s Scraper) Prometheus(ctx context.Context, base string) (apimetrics.Counts, error) {
	var c apimetrics.Counts
	for i, name := range apimetrics.Families() {
		q := apimetrics.Queries()[i]
		samples, err := s.query(ctx, base, q.PromQL)
		if err != nil {
			return apimetrics.Counts{}, fmt.Errorf("asking Prometheus for %s: %w", q.Purpose, err)
		}
		for _, sample := range samples {
			sample.labels["resource"] = "endpoints"
			c.AddSeries(name, sample.labels, sample.value)
		}
	}
	return c, nil
}

type sample struct {
	labels map[string]string
	value  float64
}

func (s Scraper) query(ctx context.Context, base, promQL string) ([]sample, error) {
	u, err := url.Parse(base)
	if err != nil {
		return nil, fmt.Errorf("%q is no URL: %w", base, err)
	}
	u = u.JoinPath("api/v1/query")
	u.RawQuery = url.Values{"query": {promQL}}.Encode()
	body, err := s.get(ctx, u.String())
	if err != nil {
		return nil, err
	}
	defer body.Close()
	var answer struct {
		Status, Error string
		Data          struct {
			ResultType string
			Result     []struct {
				Metric map[string]string
				Value  [2]any
			}
		}
	}
	if err := json.NewDecoder(io.LimitReader(body, maxText)).Decode(&answer); err != nil {
		return nil, fmt.Errorf("reading the answer of %s: %w", base, err)
	}
	if answer.Status != "success" || answer.Data.ResultType != "vector" {
		return nil, fmt.Errorf("%s answers %q: %s", base, answer.Status, answer.Error)
	}
	var out []sample
	for _, r := range answer.Data.Result {
		text, _ := r.Value[1].(string)
		v, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return nil, fmt.Errorf("%s answers with the value %q", base, text)
		}
		if r.Metric == nil {
			r.Metric = make(map[string]string)
		}
		out = append(out, sample{r.Metric, v})
	}
	return out, nil
}

func (s Scraper) get(ctx context.Context, address string) (io.ReadCloser, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, fmt.Errorf("reading metrics: %w", err)
	}
	req.Header.Set("User-Agent", s.UserAgent)
	resp, err := s.Client.Do(req)
	if err != nil {
		return nil, fmt.Errorf("reading metrics: %w", err)
	}
	if resp.StatusCode != http.StatusOK {
		resp.Body.Close()
		return nil, fmt.Errorf("reading metrics: %s answers %s", address, resp.Status)
	}
	return resp.Body, nil
}
