package publication_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"

	"github.com/slicewright/slicewright/app/internal/verify"
	"github.com/slicewright/slicewright/app/internal/verify/observe"
	"github.com/slicewright/slicewright/app/internal/verify/probe"
	"github.com/slicewright/slicewright/app/internal/verify/publication"
	"github.com/slicewright/slicewright/endpointset"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func at(text string) netip.AddrPort { return netip.MustParseAddrPort(text) }

func backend(address string, ready, serving, terminating bool) endpointset.Backend {
	a := at(address)
	return endpointset.Backend{
		ID:         endpointset.ID{PortName: "http", Protocol: "TCP", Addr: a.Addr(), Number: a.Port()},
		Conditions: endpointset.Conditions{Ready: ready, Serving: serving, Terminating: terminating},
		Target:     endpointset.Target{Kind: "Pod", Name: "web-1"},
	}
}

func codes(r publication.Row) string {
	var all []string
	for _, n := range r.Notes {
		all = append(all, n.Code)
	}
	return strings.Join(all, " ")
}

// TestFactsStandSideBySide gives one address each time; want is
// "health slices ready serving terminating discovered answered: codes".
func TestFactsStandSideBySide(t *testing.T) {
	const one = "10.0.0.1:80"
	well, ill := verify.Answer{From: at(one)}, verify.Answer{Failure: verify.Status, Detail: "500 Internal Server Error"}
	has := verify.View{Members: []verify.Member{{Address: at("10.0.0.1:0"), Use: verify.New}}}
	hasNot := verify.View{Members: []verify.Member{{Address: at("10.0.0.1:0"), Use: verify.Draining}}}
	came := []verify.Answer{{From: at("10.0.0.1:0")}, {From: at(one)}}
	failed := []verify.Answer{{Failure: verify.Refused}}
	whole := func(r, s, t bool) []endpointset.Backend { return []endpointset.Backend{backend(one, r, s, t)} }
	for what, c := range map[string]struct {
		backends []endpointset.Backend
		health   *verify.Answer
		view     *verify.View
		answers  []verify.Answer
		want     string
	}{
		"all is well":                     {whole(true, true, false), &well, &has, came, "yes yes yes yes no yes 2: "},
		"published and ill":               {whole(true, false, false), &ill, &has, came, "no yes yes no no yes 2: ready-without-serving requests-to-unhealthy"},
		"published, ill, only discovered": {whole(true, false, false), &ill, &has, failed, "no yes yes no no yes 0: ready-without-serving no-request"},
		"not published and ill":           {whole(false, false, false), &ill, &hasNot, failed, "no yes no no no no 0: "},
		"ill since a moment ago":          {whole(true, true, false), &ill, &has, nil, "no yes yes yes no yes 0: ready-but-unhealthy"},
		"well since a moment ago":         {whole(false, false, false), &well, &hasNot, nil, "yes yes no no no no 0: healthy-not-serving"},
		"not discovered":                  {whole(true, true, false), &well, &hasNot, nil, "yes yes yes yes no no 0: not-discovered"},
		"discovered too early":            {whole(false, false, false), nil, &has, nil, "unknown yes no no no yes 0: discovered-not-ready"},
		"used too early":                  {whole(false, true, true), nil, nil, came, "unknown yes no yes yes unknown 2: requests-not-ready"},
		"published while terminating":     {whole(true, true, true), &well, &hasNot, failed, "yes yes yes yes yes no 0: "},
		"nobody's":                        {nil, nil, &has, came, "unknown no unknown unknown unknown yes 1: discovered-not-in-slices requests-not-in-slices"},
		"a consumer that does not answer": {whole(true, true, false), &well, nil, nil, "yes yes yes yes no unknown 0: "},
		"nobody knows who answered":       {whole(true, true, false), &well, nil, []verify.Answer{{Failure: verify.Unidentified}}, "yes yes yes yes no unknown 0: "},
	} {
		m := publication.Measured{Before: c.backends, After: c.backends, Health: map[netip.AddrPort]verify.Answer{}, Answers: c.answers}
		viewed := publication.Viewed{Name: "dns:x", Err: errors.New("no answer")}
		if c.view != nil {
			viewed = publication.Viewed{Name: "dns:x", View: *c.view}
		}
		m.Views = []publication.Viewed{viewed}
		if c.health != nil {
			m.Health[at(one)] = *c.health
		}
		table := publication.Tabulate(m)
		r := table.Rows[0]
		got := fmt.Sprint(r.Health, " ", r.InSlices, " ", r.Ready, " ", r.Serving, " ", r.Terminating, " ", r.Discovered[0], " ", r.Answered, ": ", codes(r))
		if got != c.want {
			t.Errorf("%s: %s, want %s", what, got, c.want)
		}
		if (table.Discovery[0].Error != "") != (c.view == nil) || table.Changed {
			t.Errorf("%s: %+v", what, table)
		}
	}
}

func TestEveryConsumerHasAFactForEveryAddress(t *testing.T) {
	view := func(address string) publication.Viewed {
		return publication.Viewed{Name: address, View: verify.View{Members: []verify.Member{{Address: at(address), Use: verify.New}}}}
	}
	table := publication.Tabulate(publication.Measured{
		After: []endpointset.Backend{backend("10.0.0.2:80", true, true, false), backend("10.0.0.2:81", true, true, false)},
		Views: []publication.Viewed{view("10.0.0.2:0"), view("10.0.0.1:9"), {Name: "broken", Err: errors.New("x")}},
	})
	var got []string
	for _, r := range table.Rows {
		got = append(got, fmt.Sprint(r.Address, r.Discovered))
	}
	want := "10.0.0.1:9 [no yes unknown] 10.0.0.2:80 [yes no unknown] 10.0.0.2:81 [yes no unknown]"
	if strings.Join(got, " ") != want {
		t.Errorf("got %s\nwant %s", strings.Join(got, " "), want)
	}
	if !table.Changed {
		t.Error("the slices came in the middle, and that does not show")
	}
}

// TestMeasuredForReal has two real backends, of which one is ill, a real file as
// the consumer, and a balancer that gives to both.
func TestMeasuredForReal(t *testing.T) {
	var addresses []string
	for i, status := range []int{http.StatusOK, http.StatusServiceUnavailable} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/healthz" {
				w.WriteHeader(status)
			}
			io.WriteString(w, addresses[i])
		}))
		t.Cleanup(server.Close)
		addresses = append(addresses, server.Listener.Addr().String())
	}
	var turn atomic.Int64
	balancer := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, addresses[turn.Add(1)%2])
	}))
	t.Cleanup(balancer.Close)
	file := filepath.Join(t.TempDir(), "targets")
	if err := os.WriteFile(file, []byte(strings.Join(addresses, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	consumer, err := observe.Parse("file:" + file)
	if err != nil {
		t.Fatal(err)
	}
	gone, err := observe.Parse("file:" + file + ".missing")
	if err != nil {
		t.Fatal(err)
	}
	request, err := probe.Parse(balancer.URL, probe.Options{})
	if err != nil {
		t.Fatal(err)
	}
	// As with publishNotReadyAddresses: ready, whatever its health.
	backends := []endpointset.Backend{backend(addresses[0], true, true, false), backend(addresses[1], true, false, false)}
	table, err := publication.Measure(t.Context(), publication.Sources{
		Slices: func(context.Context) ([]endpointset.Backend, error) { return backends, nil },
		Health: func(a netip.AddrPort) (verify.Prober, error) {
			return probe.Parse("http://"+a.String()+"/healthz", probe.Options{})
		},
		Discovery: []verify.Observer{consumer, gone},
		Request:   request, Requests: 20,
	})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, r := range table.Rows {
		got[r.Address.String()] = fmt.Sprint(r.Health, " ", r.Ready, " ", r.Serving, " ", r.Discovered, " ", r.Answered, " ", codes(r))
	}
	if len(got) != 2 || got[addresses[0]] != "yes yes yes [yes unknown] 10 " ||
		got[addresses[1]] != "no yes no [yes unknown] 10 ready-without-serving requests-to-unhealthy" {
		t.Errorf("%v", got)
	}
	if table.Requests.Made != 20 || table.Discovery[1].Error == "" || table.Changed || table.Ended.Before(table.Began) {
		t.Errorf("%+v", table)
	}
}

func TestSlicesThatCannotBeReadAreAnError(t *testing.T) {
	calls := 0
	_, err := publication.Measure(t.Context(), publication.Sources{Slices: func(context.Context) ([]endpointset.Backend, error) {
		if calls++; calls == 2 {
			return nil, errors.New("forbidden")
		}
		return nil, nil
	}})
	if err == nil || !strings.Contains(err.Error(), "forbidden") || calls != 2 {
		t.Errorf("%v after %d calls", err, calls)
	}
}
