package scenario

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/slicewright/slicewright/lab/address"
	"github.com/slicewright/slicewright/lab/kubelet"
	"github.com/slicewright/slicewright/lab/probe"
)

// cmdExpect waits until exactly these addresses answer at a URL: in one round
// of requests, each over a connection of its own, all of them did, no other
// did, and none failed. "none": every request fails.
func (s *script) cmdExpect(_ io.Writer, args []string) error {
	if err := arguments(args, 2, 2); err != nil {
		return err
	}
	want, err := address.Parse(args[1])
	if err != nil {
		return err
	}
	// Round robin reaches every server in one round of as many requests; the
	// second round is for a set that is larger than wanted.
	n := max(2*len(want), 16)
	return s.await(func(ctx context.Context) error {
		report := probe.Many(ctx, args[0], n)
		if err := address.Compare(want, report.Addresses()); err != nil {
			return fmt.Errorf("%w; %d of %d requests failed %v", err, report.Failed(), n, report.Failures())
		}
		if len(want) > 0 && report.Failed() > 0 {
			return fmt.Errorf("%d of %d requests failed: %v", report.Failed(), n, report.Failures())
		}
		return nil
	})
}

// cmdProbe sends requests, each over a connection of its own, and prints what
// became of them: a number at once, or steadily until it is stopped.
func (s *script) cmdProbe(out io.Writer, args []string) error {
	switch {
	case len(args) == 3 && args[0] == "start":
		if s.probes[args[1]] != nil {
			return fmt.Errorf("probe %q runs already", args[1])
		}
		s.probes[args[1]] = probe.Start(args[2], probeInterval)
		return nil
	case len(args) == 2 && args[0] == "stop":
		p := s.probes[args[1]]
		if p == nil {
			return fmt.Errorf("no probe %q", args[1])
		}
		s.print(out, p.Stop())
		return nil
	case len(args) == 2:
		n, err := strconv.Atoi(args[1])
		if err != nil || n <= 0 {
			return errUsage
		}
		s.print(out, probe.Many(s.ctx, args[0], n))
		return nil
	}
	return errUsage
}

// probeInterval makes 100 requests a second, which leaves most of two cores to
// the tested programs.
const probeInterval = 10 * time.Millisecond

// print writes a report, a fact a line.
func (s *script) print(out io.Writer, report probe.Report) {
	fmt.Fprintf(out, "requests %d\nfailed %d\nafter-stop %d\naddresses %s\n",
		len(report.Answers), report.Failed(), report.AfterStop(s.stopped()), address.Format(report.Addresses()))
	for failure, count := range report.Failures() {
		fmt.Fprintf(out, "failure %d %s\n", count, failure)
	}
}

// stopped is when Pods stopped accepting, by UID, since the script began.
func (s *script) stopped() map[string]time.Time {
	stopped := map[string]time.Time{}
	for _, e := range s.engine.Lab.Events.Since(s.began) {
		if e.Event == kubelet.EventStopped && e.UID != "" {
			stopped[e.UID] = e.Time
		}
	}
	return stopped
}

// longest is how long a request that is meant to be long may take.
const longest = 2 * time.Minute

// cmdRequest makes one request that outlives the command; "wait" prints who
// answered.
func (s *script) cmdRequest(out io.Writer, args []string) error {
	switch {
	case len(args) == 3 && args[0] == "start":
		if s.requests[args[1]] != nil {
			return fmt.Errorf("request %q was made already", args[1])
		}
		answer := make(chan probe.Answer, 1)
		s.requests[args[1]] = answer
		go func() { answer <- probe.One(s.ctx, args[2], longest) }()
		return nil
	case len(args) == 2 && args[0] == "wait":
		answer := s.requests[args[1]]
		if answer == nil {
			return fmt.Errorf("no request %q", args[1])
		}
		a := <-answer
		if a.Failure != "" {
			return fmt.Errorf("request %q failed after %s: %s", args[1], a.Ended.Sub(a.Began).Round(time.Millisecond), a.Failure)
		}
		fmt.Fprintf(out, "address %s\nterminating %t\n", a.Address(), a.From.Terminating)
		return nil
	}
	return errUsage
}
