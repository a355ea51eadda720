// Package probe asks a load balancer over new connections and says which Pods
// answered.
package probe

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/slicewright/slicewright/lab/kubelet"
)

// Answer is what became of one request over a connection of its own.
type Answer struct {
	Began, Ended time.Time
	// From is who answered; the zero value when nobody did.
	From kubelet.Identity
	// Failure says why there is no answer: an error, or the status that the load
	// balancer gave by itself.
	Failure string
}

// Address is where the answer came from.
func (a Answer) Address() netip.Addr {
	address, _ := netip.ParseAddr(a.From.IP)
	return address
}

// timeout bounds one request. A Pod answers in milliseconds; what takes longer
// on a loaded machine is not yet a failure.
const timeout = 20 * time.Second

// newClient returns a client that opens a connection for every request.
func newClient(timeout time.Duration) *http.Client {
	return &http.Client{
		Timeout: timeout,
		Transport: &http.Transport{
			DisableKeepAlives: true,
			DialContext:       (&net.Dialer{Timeout: timeout}).DialContext,
		},
	}
}

// One makes one request.
func One(ctx context.Context, url string, timeout time.Duration) Answer {
	return ask(ctx, newClient(timeout), url)
}

func ask(ctx context.Context, client *http.Client, url string) (a Answer) {
	a.Began = time.Now()
	defer func() { a.Ended = time.Now() }()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		a.Failure = err.Error()
		return a
	}
	answer, err := client.Do(request)
	if err != nil {
		a.Failure = err.Error()
		return a
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(io.LimitReader(answer.Body, 64<<10))
	switch {
	case err != nil:
		a.Failure = "body: " + err.Error()
	case answer.StatusCode != http.StatusOK:
		a.Failure = answer.Status
	default:
		if err := json.Unmarshal(body, &a.From); err != nil {
			a.Failure = fmt.Sprintf("not a Pod's answer: %.100q", body)
		}
	}
	return a
}

// Many makes n requests, several at a time, each over its own connection.
func Many(ctx context.Context, url string, n int) Report {
	const workers = 8
	client := newClient(timeout)
	next := make(chan struct{})
	var report Report
	var mu sync.Mutex
	var wait sync.WaitGroup
	for range workers {
		wait.Go(func() {
			for range next {
				a := ask(ctx, client, url)
				mu.Lock()
				report.Answers = append(report.Answers, a)
				mu.Unlock()
			}
		})
	}
	for range n {
		next <- struct{}{}
	}
	close(next)
	wait.Wait()
	return report
}

// Report is what a number of requests came to.
type Report struct{ Answers []Answer }

// Addresses are those that answered, in order.
func (r Report) Addresses() []netip.Addr {
	set := map[netip.Addr]bool{}
	for _, a := range r.Answers {
		if a.Failure == "" {
			set[a.Address()] = true
		}
	}
	return slices.SortedFunc(maps.Keys(set), netip.Addr.Compare)
}

// Failures counts the failed requests by reason.
func (r Report) Failures() map[string]int {
	failures := map[string]int{}
	for _, a := range r.Answers {
		if a.Failure != "" {
			failures[a.Failure]++
		}
	}
	return failures
}

// Failed counts the failed requests.
func (r Report) Failed() int {
	n := 0
	for _, count := range r.Failures() {
		n += count
	}
	return n
}

// AfterStop counts the requests that began after the Pod that answered them
// had stopped accepting, given when each UID did. A request that a Pod had
// before does not count.
func (r Report) AfterStop(stopped map[string]time.Time) int {
	n := 0
	for _, a := range r.Answers {
		if at, ok := stopped[a.From.UID]; ok && a.Failure == "" && a.Began.After(at) {
			n++
		}
	}
	return n
}
