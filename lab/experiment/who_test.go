package experiment

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/slicewright/slicewright/lab/kubelet"
)

// balancer answers as a load balancer with these servers would: round robin, 503
// for those that are gone.
func balancer(t *testing.T, servers func() []string, gone ...string) string {
	t.Helper()
	var next atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		all := servers()
		if len(all) == 0 {
			http.Error(w, "no server", http.StatusServiceUnavailable)
			return
		}
		ip := all[int(next.Add(1))%len(all)]
		for _, g := range gone {
			if g == ip {
				http.Error(w, "gone", http.StatusServiceUnavailable)
				return
			}
		}
		_ = json.NewEncoder(w).Encode(kubelet.Identity{Name: "pod", IP: ip})
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func TestExactlyIsExact(t *testing.T) {
	e := &experiment{Config: Config{Patience: 500 * time.Millisecond}}
	for _, c := range []struct {
		why     string
		servers string
		gone    []string
		want    string
		short   string // "" holds
	}{
		{"as wanted", "10.0.0.1 10.0.0.2", nil, "10.0.0.1-10.0.0.2", ""},
		{"one too many", "10.0.0.1 10.0.0.2 10.0.0.3", nil, "10.0.0.1-10.0.0.2", "1 other addresses answered (10.0.0.3)"},
		{"one missing", "10.0.0.1", nil, "10.0.0.1-10.0.0.2", "1 of 2 addresses never answered (10.0.0.2)"},
		{"one that is gone", "10.0.0.1 10.0.0.2 10.0.0.3", []string{"10.0.0.3"}, "10.0.0.1-10.0.0.2", "failed (503 Service Unavailable)"},
		{"none", "", nil, "none", ""},
		{"none, and one answers", "10.0.0.9", nil, "none", "1 other addresses answered (10.0.0.9)"},
		{"all gone where some are wanted", "", nil, "10.0.0.1", "20 failed"},
	} {
		url := balancer(t, func() []string { return strings.Fields(c.servers) }, c.gone...)
		a, err := e.exactly(t.Context(), url, parse(c.want), 3)
		if (err == nil) != (c.short == "") || err != nil && !strings.Contains(err.Error(), c.short) {
			t.Errorf("%s: %v, want %q", c.why, err, c.short)
		}
		if a.requests == 0 {
			t.Errorf("%s: no request was made", c.why)
		}
	}
}

// Of many servers the first few are dead: a round that was only as long as the
// wanted set would meet no other, and take the set for empty.
func TestARoundIsLongEnoughToMeetWhatShouldHaveGone(t *testing.T) {
	var servers, dead []string
	for i := range 60 {
		servers = append(servers, netip.AddrFrom4([4]byte{10, 0, 0, byte(i)}).String())
	}
	dead = servers[:40]
	e := &experiment{Config: Config{Patience: 300 * time.Millisecond}, recorder: &recorder{out: io.Discard}}
	s := &side{name: "it", url: balancer(t, func() []string { return servers }, dead...), most: len(servers)}
	var ev evidence
	if err := e.follows(t.Context(), s, nil, &ev, "After the last one"); err == nil || !strings.Contains(err.Error(), "After the last one, through it: after 300ms, of 120 requests 20 other addresses answered") {
		t.Errorf("%v, %v", err, ev.sentences)
	}
}

func TestExactlyWaitsForWhatComesLate(t *testing.T) {
	var looks atomic.Int64
	url := balancer(t, func() []string {
		if looks.Add(1) < 100 {
			return []string{"10.0.0.1"}
		}
		return []string{"10.0.0.2"}
	})
	e := &experiment{Config: Config{Patience: time.Minute}}
	a, err := e.exactly(t.Context(), url, []netip.Addr{netip.MustParseAddr("10.0.0.2")}, 1)
	if err != nil || a.requests < 100 {
		t.Errorf("%d requests, %v", a.requests, err)
	}
}

func TestStaysBearsFailuresButNoneMissing(t *testing.T) {
	e := &experiment{Config: Config{Patience: 300 * time.Millisecond}, recorder: &recorder{out: io.Discard}}
	s := &side{name: "it", url: balancer(t, func() []string { return []string{"10.0.0.1", "10.0.0.2", "10.0.0.3"} }, "10.0.0.3")}
	var ev evidence
	if err := e.stays(t.Context(), s, parse("10.0.0.1-10.0.0.2"), &ev, "Cut"); err != nil || !strings.Contains(ev.sentences[0], "failed (503") {
		t.Errorf("%v, %v", err, ev.sentences)
	}
	if err := e.stays(t.Context(), s, parse("10.0.0.1-10.0.0.3"), &ev, "Cut"); err == nil || !strings.Contains(err.Error(), "1 of 3") {
		t.Errorf("one that stayed and no longer answers: %v", err)
	}
}
