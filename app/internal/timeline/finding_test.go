package timeline_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/slicewright/slicewright/app/internal/timeline"
	"github.com/slicewright/slicewright/app/internal/timeline/timelinetest"
)

func history(events []timeline.Event) *timeline.History {
	var b timeline.Builder
	for _, ev := range events {
		b.Add(ev)
	}
	return b.Build(time.Time{})
}

// TestFindings: each contrast is found where it is, and only there. A finding is
// written as its code, address, beginning and end in seconds, and what is odd.
func TestFindings(t *testing.T) {
	tests := []struct {
		name   string
		script string
		want   []string
	}{
		{
			"a Pod that is ready first, then published, then ends well", `
			0s   service web
			0s   pod a 10.0.0.1 unready
			0.1s slice web-1 10.0.0.1=a:F/F/F
			2s   pod a ready
			2.1s slice web-1 10.0.0.1=a:T/T/F
			9s   pod a deleting 5s
			9.1s slice web-1 10.0.0.1=a:F/T/T
			14s  pod a gone
			14.1s slice web-1`,
			[]string{
				"termination-times 10.0.0.1 9.0-14.1",
				"shrunk-to-nothing - 9.1-14.1 ongoing",
			},
		},
		{
			"published 3 s before it is ready", `
			0s   service web
			0s   pod a 10.0.0.1 unready
			1s   slice web-1 10.0.0.1=a:T/T/F
			4s   pod a ready`,
			[]string{"published-before-ready 10.0.0.1 1.0-4.0"},
		},
		{
			"published before ready, as publishNotReadyAddresses wants", `
			0s   service web publishNotReady
			0s   pod a 10.0.0.1 unready
			1s   slice web-1 10.0.0.1=a:T/F/F
			4s   pod a ready`,
			nil,
		},
		{
			"published before ready, where the Service was not recorded", `
			0s   pod a 10.0.0.1 unready
			1s   slice web-1 10.0.0.1=a:T/T/F
			4s   pod a ready`,
			nil,
		},
		{
			"the watch of Pods delivers a little later than that of slices", `
			0s   service web
			0s   pod a 10.0.0.1 unready
			1s   slice web-1 10.0.0.1=a:T/T/F
			1.4s pod a ready`,
			nil,
		},
		{
			"the watch of Pods delivers much later, but the Pod says that it was first", `
			0s   service web
			0s   pod a 10.0.0.1 unready
			4s   slice web-1 10.0.0.1=a:T/T/F
			8s   pod a ready since 2s`,
			nil,
		},
		{
			"moments in whole seconds allow a whole second", `
			0s   service web
			0s   pod a 10.0.0.1 unready
			~1s  slice web-1 10.0.0.1=a:T/T/F
			~2s  pod a ready`,
			nil,
		},
		{
			"never ready at all", `
			0s   service web
			0s   pod a 10.0.0.1 unready
			1s   slice web-1 10.0.0.1=a:T/T/F
			9s   slice other of web 10.0.0.9:T/T/F`,
			[]string{"published-before-ready 10.0.0.1 1.0-9.0 ongoing"},
		},
		{
			"ready 2 s longer than the Pod", `
			0s   service web
			0s   pod a 10.0.0.1 ready
			0s   pod b 10.0.0.2 ready
			0s   slice web-1 10.0.0.1=a:T/T/F 10.0.0.2=b:T/T/F
			5s   pod a unready
			7s   slice web-1 10.0.0.1=a:F/F/F 10.0.0.2=b:T/T/F`,
			[]string{"ready-after-unready 10.0.0.1 5.0-7.0"},
		},
		{
			"in a lost watch nothing is sure", `
			0s   service web
			0s   pod a 10.0.0.1 ready
			0s   pod b 10.0.0.2 ready
			0s   slice web-1 10.0.0.1=a:T/T/F 10.0.0.2=b:T/T/F
			5s   pod a unready
			8s   gap endpointslices 5.5s lost too old resource version
			8s   list slice web-1 10.0.0.1=a:F/F/F 10.0.0.2=b:T/T/F`,
			[]string{"ready-after-unready 10.0.0.1 5.0-8.0 uncertain"},
		},
		{
			"in a watch that was only late nothing is in doubt", `
			0s   service web
			0s   pod a 10.0.0.1 ready
			0s   pod b 10.0.0.2 ready
			0s   slice web-1 10.0.0.1=a:T/T/F 10.0.0.2=b:T/T/F
			5s   pod a unready
			8s   gap endpointslices 5.5s kept the API server ended the watch
			8s   slice web-1 10.0.0.1=a:F/F/F 10.0.0.2=b:T/T/F`,
			[]string{"ready-after-unready 10.0.0.1 5.0-8.0"},
		},
		{
			"still in the slices after the Pod was gone", `
			0s   pod a 10.0.0.1 ready
			0s   slice web-1 10.0.0.1=a:T/T/F 10.0.0.2:T/T/F
			3s   pod a gone
			6s   slice web-1 10.0.0.2:T/T/F`,
			[]string{"in-slices-after-gone 10.0.0.1 3.0-6.0"},
		},
		{
			"gone Pod, and the slices never let go", `
			0s   pod a 10.0.0.1 ready
			0s   slice web-1 10.0.0.1=a:T/T/F
			3s   pod a gone
			9s   slice web-2 10.0.0.2:T/T/F`,
			[]string{"in-slices-after-gone 10.0.0.1 3.0-9.0 ongoing"},
		},
		{
			"the address goes to a new Pod in time", `
			0s   pod a 10.0.0.1 ready
			0s   slice web-1 10.0.0.1=a:T/T/F
			3s   pod a gone
			3.1s slice web-1 10.0.0.1=b:T/T/F`,
			nil,
		},
		{
			"dropped while the grace of 30 s runs", `
			0s   pod a 10.0.0.1 ready
			0s   slice web-1 10.0.0.1=a:T/T/F 10.0.0.2:T/T/F
			3s   pod a deleting 30s
			4s   slice web-1 10.0.0.2:T/T/F
			20s  pod a gone`,
			[]string{
				"termination-times 10.0.0.1 3.0-20.0",
				"gone-before-grace 10.0.0.1 4.0-20.0",
			},
		},
		{
			"a Pod that ended by itself is dropped by design", `
			0s   pod a 10.0.0.1 ready
			0s   slice web-1 10.0.0.1=a:T/T/F 10.0.0.2:T/T/F
			3s   pod a deleting 30s
			3.5s pod a phase Succeeded
			4s   slice web-1 10.0.0.2:T/T/F`,
			[]string{"termination-times 10.0.0.1 3.0-4.0"},
		},
		{
			"a consumer goes on connecting to a terminating address", `
			0s   pod a 10.0.0.1 ready
			0s   slice web-1 10.0.0.1=a:T/T/F 10.0.0.2:T/T/F
			1s   haproxy connects 10.0.0.1 until 9s times 80
			1s   envoy connects 10.0.0.1 until 5.3s times 80
			1s   haproxy requests 10.0.0.1 until 10s times 300
			5s   pod a deleting 20s
			5.1s slice web-1 10.0.0.1=a:F/T/T 10.0.0.2:T/T/F`,
			[]string{
				"termination-times 10.0.0.1 5.0-10.0",
				"connected-after-terminating 10.0.0.1 5.1-9.0",
			},
		},
		{
			"two Pods with one IP", `
			0s   pod a 10.0.0.1 ready
			2s   pod b 10.0.0.1 ready
			6s   pod a gone`,
			[]string{"shared-ip 10.0.0.1 2.0-6.0"},
		},
		{
			"an IP that went back and out again", `
			0s   pod a 10.0.0.1 ready
			2s   pod a phase Succeeded
			3s   pod b 10.0.0.1 ready
			6s   pod a gone`,
			nil,
		},
		{
			"Pods on the host's network share its address", `
			0s   pod a 10.0.0.1 ready host
			0s   pod b 10.0.0.1 ready host
			6s   pod c 10.0.0.3 ready`,
			nil,
		},
		{
			"two targets in two slices for one address", `
			0s   slice web-1 10.0.0.1=a:F/T/T
			2s   slice web-2 10.0.0.1=b:T/T/F
			6s   slice web-1`,
			[]string{"shared-ip 10.0.0.1 2.0-6.0"},
		},
		{
			"flapping", `
			0s   slice web-1 10.0.0.1:T/T/F 10.0.0.2:T/T/F
			1s   slice web-1 10.0.0.1:F/F/F 10.0.0.2:T/T/F
			2s   slice web-1 10.0.0.1:T/T/F 10.0.0.2:T/T/F
			3s   slice web-1 10.0.0.1:F/F/F 10.0.0.2:T/T/F
			4s   slice web-1 10.0.0.1:T/T/F 10.0.0.2:T/T/F`,
			[]string{"flapping 10.0.0.1 1.0-4.0"},
		},
		{
			"slow changes are no flapping", `
			0s   slice web-1 10.0.0.1:T/T/F 10.0.0.2:T/T/F
			2m   slice web-1 10.0.0.1:F/F/F 10.0.0.2:T/T/F
			4m   slice web-1 10.0.0.1:T/T/F 10.0.0.2:T/T/F
			6m   slice web-1 10.0.0.1:F/F/F 10.0.0.2:T/T/F
			8m   slice web-1 10.0.0.1:T/T/F 10.0.0.2:T/T/F`,
			nil,
		},
		{
			"writes that change nothing", `
			0s   slice web-1 10.0.0.1:T/T/F 10.0.0.2:T/T/F
			1s   slice web-1 10.0.0.1:T/T/F 10.0.0.2:T/T/F
			2s   slice web-1 10.0.0.2:T/T/F 10.0.0.1:T/T/F  // another order is no meaning
			3s   slice web-1 10.0.0.1:T/T/F`,
			[]string{"empty-writes - 1.0-2.0"},
		},
		{
			"shrunk to nothing and back", `
			0s   slice web-1 10.0.0.1:T/T/F
			2s   slice web-1 gone
			5s   slice web-2 10.0.0.2:T/T/F`,
			[]string{"shrunk-to-nothing - 2.0-5.0"},
		},
		{
			"a Service that never had any did not shrink", `
			0s   slice web-1 10.0.0.1:F/F/F
			2s   slice web-1 gone`,
			nil,
		},
		{
			"the label moves the slice to another Service", `
			0s   slice web-1 10.0.0.1:T/T/F
			2s   slice web-1 of other 10.0.0.1:T/T/F
			4s   slice web-1 of other 10.0.0.1:T/T/F 10.0.0.2:T/T/F`,
			[]string{"shrunk-to-nothing - 2.0-4.0 ongoing"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, f := range timeline.Findings(history(timelinetest.MustParse(tt.script)), timeline.Options{}) {
				got = append(got, line(f))
				if len(f.Moments) == 0 || f.Message == "" {
					t.Errorf("%s rests on nothing: %+v", f.Code, f)
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
		})
	}
}

func line(f timeline.Finding) string {
	second := func(at time.Time) float64 { return at.Sub(timelinetest.Start).Seconds() }
	address := f.Address
	if address == "" {
		address = "-"
	}
	text := fmt.Sprintf("%s %s %.1f-%.1f", f.Code, address, second(f.From), second(f.To))
	if f.Ongoing {
		text += " ongoing"
	}
	if f.Uncertain {
		text += " uncertain"
	}
	return text
}

// TestFailuresAreExplained: of a failed request, the finding says what slices
// and Pod said at its moment.
func TestFailuresAreExplained(t *testing.T) {
	tests := []struct{ name, script, want string }{
		{
			"the Pod was gone", `
			0s pod a 10.0.0.1 ready
			0s slice web-1 10.0.0.1=a:T/T/F
			3s pod a gone
			4s haproxy fails 10.0.0.1 times 3 : no route to host`,
			"haproxy: no route to host (3 times); the slices had said ready for 4s, Pod t/a had been gone for 1s",
		},
		{
			"the containers had ended", `
			0s pod a 10.0.0.1 ready
			0s slice web-1 10.0.0.1=a:T/T/F
			3s pod a stopped 2s
			4s haproxy fails 10.0.0.1 : connection refused`,
			"haproxy: connection refused; the slices had said ready for 4s, the containers of Pod t/a had ended",
		},
		{
			"it was being deleted", `
			0s pod a 10.0.0.1 ready
			0s slice web-1 10.0.0.1=a:T/T/F
			3s pod a deleting 30s
			3.2s slice web-1 10.0.0.1=a:F/T/T
			4s haproxy fails 10.0.0.1 : reset`,
			"haproxy: reset; the slices had said terminating for 800ms, Pod t/a was being deleted for 1s (grace 30s)",
		},
		{
			"it was ready: look elsewhere", `
			0s pod a 10.0.0.1 ready
			0s slice web-1 10.0.0.1=a:T/T/F
			4s haproxy fails 10.0.0.1 : timeout`,
			"haproxy: timeout; the slices had said ready for 4s, Pod t/a was ready",
		},
		{
			"the slices had dropped it", `
			0s pod a 10.0.0.1 ready
			0s slice web-1 10.0.0.1=a:T/T/F
			2s pod a gone
			2s slice web-1
			4s haproxy fails 10.0.0.1 : no route to host`,
			"haproxy: no route to host; the slices had dropped the address 2s before, Pod t/a had been gone for 2s",
		},
		{
			"it was not there yet", `
			0s slice web-1 10.0.0.2:T/T/F
			1s haproxy fails 10.0.0.1 : no route to host
			2s slice web-1 10.0.0.2:T/T/F 10.0.0.1:T/T/F`,
			"haproxy: no route to host; no slice held the address yet",
		},
		{
			"it never was", `
			0s slice web-1 10.0.0.2:T/T/F
			1s haproxy fails 10.9.9.9 : no route to host`,
			"haproxy: no route to host; no slice of the Service ever held the address",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, f := range timeline.Findings(history(timelinetest.MustParse(tt.script)), timeline.Options{}) {
				if f.Code == timeline.RequestFailed {
					got = append(got, f.Message)
				}
			}
			if diff := cmp.Diff(tt.want, strings.Join(got, "\n")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestAFailureWithoutAnAddressIsToldToo: a prober that got no answer does not
// know which endpoint its request went to.
func TestAFailureWithoutAnAddressIsToldToo(t *testing.T) {
	events := timelinetest.MustParse(`
		0s slice web-1 10.0.0.2:T/T/F
		1s probe fails 10.0.0.2 : status: 503`)
	for i := range events {
		if o := events[i].Observation; o != nil {
			o.Address, o.Port = "", 0
		}
	}
	found := timeline.Findings(history(events), timeline.Options{})
	if want := "probe: status: 503; which endpoint it went to is not known"; len(found) != 1 || found[0].Message != want || found[0].Address != "" {
		t.Errorf("%+v, want %q", found, want)
	}
}

// TestTerminationTimesAreMeasured: each follower of a deletion is named with the
// time that it took.
func TestTerminationTimesAreMeasured(t *testing.T) {
	events := timelinetest.MustParse(`
		0s   pod a 10.0.0.1 ready
		0s   slice web-1 10.0.0.1=a:T/T/F 10.0.0.2:T/T/F
		1s   haproxy connects 10.0.0.1 until 5.25s times 80
		1s   haproxy requests 10.0.0.1 until 9.5s times 300
		5s   pod a deleting 20s
		5.1s slice web-1 10.0.0.1=a:F/T/T 10.0.0.2:T/T/F
		25s  pod a gone
		25.2s slice web-1 10.0.0.2:T/T/F`)
	want := "after the deletion was seen: slices said terminating after 100ms, slices dropped it after 20.2s, " +
		"haproxy opened its last connection after 250ms, haproxy sent its last request after 4.5s, Pod was gone after 20s"
	for _, f := range timeline.Findings(history(events), timeline.Options{}) {
		if f.Code == timeline.TerminationTimes {
			if f.Message != want {
				t.Errorf("got  %s\nwant %s", f.Message, want)
			}
			return
		}
	}
	t.Error("the termination was not measured")
}
