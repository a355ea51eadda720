package publish_test

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	discoveryv1 "k8s.io/api/discovery/v1"

	"github.com/slicewright/slicewright/publish"
)

// otherPort is a slice of the Service without the upstream's port.
func otherPort(addresses ...string) *discoveryv1.EndpointSlice {
	es := sliceOf(addresses...)
	es.Ports[0].Name = new("web")
	return es
}

// A Service or a port that no slice has ever had leaves the target as it is, says
// why in the status and in one line of the log, and is not published (S21).
func TestAMisspeltNameLeavesItsTargetAlone(t *testing.T) {
	for name, tc := range map[string]struct {
		slices []*discoveryv1.EndpointSlice
		says   string
	}{
		"Service": {nil, `no EndpointSlice in namespace ` + web.Namespace + ` says service-name "web"`},
		"port":    {[]*discoveryv1.EndpointSlice{otherPort("10.0.0.1")}, `no backend at port "http"/TCP; its slices have the ports "web"/TCP`},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var log bytes.Buffer
				s := newStage(t, publish.Upstream{}, publish.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
				s.lb.put("10.9.9.9:8080")
				for _, es := range tc.slices {
					s.ix.Apply(s.ix.Parse(es))
				}
				s.openGate()
				time.Sleep(time.Minute)
				status := s.publisher.Status()
				if status.Phase != publish.PhaseUnknown || !strings.Contains(status.Warning, tc.says) || !status.LastSuccess.IsZero() {
					t.Errorf("the status is %+v", status)
				}
				if n := strings.Count(log.String(), "\n"); n != 1 || !strings.Contains(log.String(), "level=WARN") {
					t.Errorf("%d lines, want one warning:\n%s", n, log.String())
				}
				expectActive(t, s.lb, "10.9.9.9:8080")
				if n := s.lb.applies(); n != 0 {
					t.Errorf("%d publishes", n)
				}
				// It comes: the target is what the slices say.
				s.put(sliceOf("10.0.0.2"))
				time.Sleep(time.Second)
				expectActive(t, s.lb, "10.0.0.2:8080")
				if status := s.publisher.Status(); status.Phase != publish.PhasePublished || status.Warning != "" {
					t.Errorf("afterwards the status is %+v", status)
				}
			})
		})
	}
}

// A Service or port that was seen once and is gone is empty, and is published so.
func TestWhatWasSeenAndIsGoneIsEmpty(t *testing.T) {
	for name, leave := range map[string]func(s *stage){
		"the last slice goes": func(s *stage) { s.ix.Delete(keyOf(sliceOf())) },
		"the port goes":       func(s *stage) { s.ix.Apply(s.ix.Parse(otherPort("10.0.0.1"))) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newStage(t, publish.Upstream{}, publish.Options{})
				s.ix.Apply(s.ix.Parse(sliceOf("10.0.0.1")))
				s.openGate()
				time.Sleep(time.Second)
				leave(s)
				s.publisher.Wake(time.Time{})
				time.Sleep(time.Second)
				expectActive(t, s.lb)
				if status := s.publisher.Status(); status.Phase != publish.PhasePublished {
					t.Errorf("the status is %+v", status)
				}
			})
		})
	}
}

// A port that goes says that it may be misspelt.
func TestAPortThatWentIsNamed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, publish.Upstream{}, publish.Options{})
		s.ix.Apply(s.ix.Parse(sliceOf("10.0.0.1")))
		s.openGate()
		time.Sleep(time.Second)
		s.put(otherPort("10.0.0.1"))
		time.Sleep(time.Second)
		want := "Service " + web.String() + ` has no backend at port "http"/TCP; its slices have the ports "web"/TCP`
		if diff := cmp.Diff(want, s.publisher.Status().Warning); diff != "" {
			t.Errorf("warning (-want +got):\n%s", diff)
		}
	})
}

// The controller's placeholder slice has no endpoint: nothing can be misspelt
// about the Service, and the port cannot be told.
func TestAServiceWithoutEndpointsIsKnown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, publish.Upstream{}, publish.Options{})
		s.lb.put("10.9.9.9:8080")
		placeholder := sliceOf()
		placeholder.Ports = nil
		s.ix.Apply(s.ix.Parse(placeholder))
		s.openGate()
		time.Sleep(time.Second)
		s.put(otherPort("10.0.0.1")) // and it is not unknown afterwards
		time.Sleep(time.Minute)
		expectActive(t, s.lb)
		if status := s.publisher.Status(); status.Phase != publish.PhasePublished {
			t.Errorf("the status is %+v", status)
		}
	})
}

// A port that was in a slice for less than the publisher waits has been seen.
func TestAPortThatCameAndWentUnpublishedIsKnown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, publish.Upstream{}, publish.Options{})
		s.openGate()
		synctest.Wait()
		s.put(sliceOf("10.0.0.1"))
		s.ix.Delete(keyOf(sliceOf()))
		s.publisher.Wake(time.Time{})
		time.Sleep(time.Minute)
		if status := s.publisher.Status(); status.Phase != publish.PhasePublished || status.Desired.Active != 0 {
			t.Errorf("the status is %+v", status)
		}
	})
}

// What an earlier process published is known, if it is the same Service and port.
func TestTheStateOnDiskMakesAPortKnown(t *testing.T) {
	dir := t.TempDir()
	store, err := publish.NewStore(dir)
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, publish.Upstream{}, publish.Options{Store: store})
		s.ix.Apply(s.ix.Parse(sliceOf("10.0.0.1")))
		s.openGate()
		time.Sleep(time.Second)
	})
	phase := func(protocol string) publish.Phase {
		var status publish.Status
		synctest.Test(t, func(t *testing.T) {
			s := newStage(t, publish.Upstream{Protocol: protocol}, publish.Options{Store: store})
			s.lb.put("10.9.9.9:8080")
			s.openGate()
			time.Sleep(time.Minute)
			status = s.publisher.Status()
			if kept := len(s.lb.has()) == 1; kept != (status.Phase == publish.PhaseUnknown) {
				t.Errorf("in phase %s the target has %v", status.Phase, s.lb.has())
			}
		})
		return status.Phase
	}
	if got := phase("UDP"); got != publish.PhaseUnknown {
		t.Errorf("another port: phase %s", got)
	}
	if got := phase(""); got != publish.PhasePublished {
		t.Errorf("the same port: phase %s", got)
	}
	// A file of an older version names no Service, and so knows none.
	old, err := os.ReadFile("testdata/lastknowngood-v1alpha1.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "balancer.json"), old, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := phase(""); got != publish.PhaseUnknown {
		t.Errorf("an older file: phase %s", got)
	}
}

// What was published of another port is not put back: the upstream was changed
// since then.
func TestTheLastKnownGoodOfAnotherPortIsNotUsed(t *testing.T) {
	store, err := publish.NewStore(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, publish.Upstream{}, publish.Options{Store: store})
		s.ix.Apply(s.ix.Parse(sliceOf("10.0.0.1")))
		s.openGate()
		time.Sleep(time.Second)
	})
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, publish.Upstream{Protocol: "UDP"}, publish.Options{Store: store})
		time.Sleep(time.Minute)
		expectActive(t, s.lb)
	})
}
