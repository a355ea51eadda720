// Package prometheus reads the active targets of one scrape job
// (/api/v1/targets).
//
// Every active target is new, whatever its health: Prometheus goes on scraping a
// target that is down. The detail has the health and the last error. Targets that
// relabelling dropped are not there. Prometheus knows no draining, and keeps no
// count of connections.
//
// Kubernetes' discovery finds more than a Service's ready endpoints: with the roles
// endpointslice and endpoints also those that are not ready, and further container
// ports of the same Pods. A job that is meant to follow a Service drops these by
// relabelling; one that does not is compared under policy published.
//
// The address is the one that service discovery found (the label __address__
// before relabelling), since that is what can be held against slices. When
// relabelling rewrote it, to a port for metrics for instance, the detail says
// where the target is scraped. Prometheus 2.42.0 alone, which is Debian 12's, shows
// there what relabelling made of it (prometheus/prometheus issue 11960).
//
// Prometheus learns of a job's targets some seconds after it started or was
// reloaded; until then the job has no scrape pool, and that is an error, not an
// empty view. A job that discovery never sent anything for stays like that. It
// needs Prometheus 2.42 or newer to tell an empty job from one that does not exist.
package prometheus

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/slicewright/slicewright/app/internal/verify"
	"github.com/slicewright/slicewright/app/internal/verify/observe/internal/fetch"
)

// maxBytes bounds an answer; a target takes about 2 KB with Kubernetes' labels.
const maxBytes = 64 << 20

// Source is one job of one Prometheus.
type Source struct {
	// URL is where Prometheus answers, with its path prefix if it has one.
	URL *url.URL
	// Job is the job_name of the configuration.
	Job string
}

// Parse parses "URL#JOB".
func Parse(rest string) (*Source, error) {
	u, err := fetch.ParseURL(rest)
	switch {
	case err != nil:
		return nil, err
	case u.Fragment == "":
		return nil, errors.New("has no #JOB at its end")
	case u.RawQuery != "":
		return nil, errors.New("the URL has a query; give the address of Prometheus alone")
	}
	s := &Source{Job: u.Fragment}
	base := *u
	base.Fragment, base.RawFragment = "", ""
	s.URL = &base
	return s, nil
}

// Members implements observe.Source.
func (s *Source) Members(ctx context.Context) ([]verify.Member, error) {
	members, err := s.members(ctx)
	if err != nil {
		return nil, fmt.Errorf("prometheus: job %q: %w", s.Job, err)
	}
	return members, nil
}

func (s *Source) members(ctx context.Context) ([]verify.Member, error) {
	var targets struct{ ActiveTargets []target }
	if err := s.get(ctx, "targets", url.Values{"state": {"active"}, "scrapePool": {s.Job}}, &targets); err != nil {
		return nil, err
	}
	if targets.ActiveTargets == nil {
		return nil, errors.New("the answer has no activeTargets")
	}
	var members []verify.Member
	for _, t := range targets.ActiveTargets {
		if t.ScrapePool != s.Job {
			continue
		}
		m, err := t.member()
		if err != nil {
			return nil, err
		}
		members = append(members, m)
	}
	if len(members) > 0 {
		return members, nil
	}
	var pools struct{ ScrapePools []string }
	switch err := s.get(ctx, "scrape_pools", nil, &pools); {
	case errors.Is(err, fetch.ErrNotFound):
		return nil, errors.New("no target, and Prometheus before 2.42 does not tell whether there is such a job")
	case err != nil:
		return nil, err
	case !slices.Contains(pools.ScrapePools, s.Job):
		return nil, errors.New("there is no such job, or nothing was discovered for it yet")
	}
	return nil, nil
}

// get asks the API and unpacks what is in its envelope.
func (s *Source) get(ctx context.Context, path string, query url.Values, into any) error {
	u := s.URL.JoinPath("api/v1", path)
	u.RawQuery = query.Encode()
	body, err := fetch.Get(ctx, u, maxBytes)
	if err != nil {
		return err
	}
	var envelope struct {
		Status, Error string
		Data          json.RawMessage
	}
	if err := json.Unmarshal(body, &envelope); err != nil {
		return fmt.Errorf("%s: this is not Prometheus' API: %w", u.Redacted(), err)
	}
	if envelope.Status != "success" {
		return fmt.Errorf("%s: status %.40q: %.200q", u.Redacted(), envelope.Status, envelope.Error)
	}
	if err := json.Unmarshal(envelope.Data, into); err != nil {
		return fmt.Errorf("%s: %w", u.Redacted(), err)
	}
	return nil
}

// A target as the API gives it.
type target struct {
	DiscoveredLabels map[string]string
	ScrapePool       string
	ScrapeURL        string
	Health           string
	LastError        string
}

func (t target) member() (verify.Member, error) {
	m := verify.Member{Use: verify.New, Open: verify.Unknown, Total: verify.Unknown, Detail: t.Health}
	text := t.DiscoveredLabels["__address__"]
	address, err := parseAddress(text)
	if err != nil {
		return m, err
	}
	m.Address = address
	if scraped, err := url.Parse(t.ScrapeURL); err == nil && scraped.Host != "" && scraped.Host != text &&
		scraped.Host != address.String() && !strings.HasPrefix(scraped.Host, text+":") {
		m.Detail += ", scraped at " + scraped.Host
	}
	if t.LastError != "" {
		m.Detail += ": " + t.LastError
	}
	return m, nil
}

// parseAddress reads ip:port, or an address without a port, for which Prometheus
// takes that of the scheme.
func parseAddress(text string) (netip.AddrPort, error) {
	if address, err := netip.ParseAddrPort(text); err == nil {
		return address, nil
	}
	if ip, err := netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(text, "["), "]")); err == nil {
		return netip.AddrPortFrom(ip, 0), nil
	}
	if host, _, err := net.SplitHostPort(text); err == nil && host != "" {
		return netip.AddrPort{}, fmt.Errorf("target %.100q is no IP address: it cannot be held against slices", text)
	}
	return netip.AddrPort{}, fmt.Errorf("target address %.100q is not ip:port", text)
}
