package probe

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/slicewright/slicewright/lab/address"
	"github.com/slicewright/slicewright/lab/kubelet"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// balancer answers in turn as the Pods given; "" is a 503 of its own.
func balancer(t *testing.T, ips ...string) (url string, connections *atomic.Int64) {
	t.Helper()
	var turn, opened atomic.Int64
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		ip := ips[int(turn.Add(1)-1)%len(ips)]
		if ip == "" {
			http.Error(w, "no server", http.StatusServiceUnavailable)
			return
		}
		w.Write([]byte(`{"ip":"` + ip + `","uid":"u` + ip + `"}`))
	}))
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			opened.Add(1)
		}
	}
	server.Start()
	t.Cleanup(server.Close)
	return server.URL, &opened
}

func TestReportSaysWhoAnsweredAndWhatFailed(t *testing.T) {
	url, connections := balancer(t, "10.0.0.2", "10.0.0.1", "", "10.0.0.1")
	report := Many(t.Context(), url, 40)
	if got := address.Format(report.Addresses()); got != "10.0.0.1-10.0.0.2" {
		t.Errorf("addresses %s", got)
	}
	if got := report.Failures(); report.Failed() != 10 || got["503 Service Unavailable"] != 10 {
		t.Errorf("%d failed: %v", report.Failed(), got)
	}
	if got := connections.Load(); got != 40 {
		t.Errorf("%d connections for 40 requests: an old one tells nothing about new ones", got)
	}
}

func TestAnswerOfSomethingElseIsAFailure(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("hello")) }))
	defer server.Close()
	if a := One(t.Context(), server.URL, time.Minute); !strings.Contains(a.Failure, "not a Pod") {
		t.Errorf("got %+v", a)
	}
	server.Close()
	if a := One(t.Context(), server.URL, time.Minute); !strings.Contains(a.Failure, "refused") {
		t.Errorf("got %+v", a)
	}
}

func TestRequestsThatBeganAfterAPodStoppedAreCounted(t *testing.T) {
	stop := time.Now()
	at := func(d time.Duration, uid, failure string) Answer {
		return Answer{Began: stop.Add(d), Ended: stop.Add(time.Hour), From: kubelet.Identity{UID: uid}, Failure: failure}
	}
	report := Report{Answers: []Answer{
		at(-time.Second, "a", ""),         // it had it before
		at(time.Second, "a", ""),          // this one
		at(time.Second, "b", ""),          // of a Pod that has not stopped
		at(time.Second, "a", "no answer"), // nobody answered
	}}
	if got := report.AfterStop(map[string]time.Time{"a": stop}); got != 1 {
		t.Errorf("%d, want 1", got)
	}
}

func TestContinuousProbeKeepsAllThatItBegan(t *testing.T) {
	url, connections := balancer(t, "10.0.0.1")
	c := Start(url, time.Millisecond)
	for c.Len() < 20 {
		time.Sleep(time.Millisecond)
	}
	report := c.Stop()
	if len(report.Answers) < 20 || report.Failed() != 0 {
		t.Errorf("%d answers, failures %v", len(report.Answers), report.Failures())
	}
	if int64(len(report.Answers)) != connections.Load() {
		t.Errorf("%d answers of %d requests: the last ones were broken off", len(report.Answers), connections.Load())
	}
}
