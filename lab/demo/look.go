package demo

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/slicewright/slicewright/lab/address"
	"github.com/slicewright/slicewright/lab/fleet"
	"github.com/slicewright/slicewright/lab/probe"
)

// sayTwo says where the two kinds of reader would send to.
func (p *play) sayTwo(v fleet.View) {
	p.say("A reader of Endpoints sends to       %3d: %s.", len(v.Endpoints), address.Format(v.Endpoints))
	p.say("A reader of EndpointSlices sends to  %3d: %s.", len(v.Joined), address.Format(v.Joined))
}

// sayReached asks every address that either reader would send to.
func (p *play) sayReached(ctx context.Context, v fleet.View) error {
	deadOld, deadNew := unreachable(ctx, v.Endpoints), unreachable(ctx, v.Joined)
	p.say("Both say %d. Of what Endpoints says, %d do not answer (%s), and %d that do are missing (%s).",
		len(v.Endpoints), len(deadOld), address.Format(deadOld),
		len(address.Without(v.Joined, v.Endpoints)), address.Format(address.Without(v.Joined, v.Endpoints)))
	p.say("Of what the EndpointSlices say, %d do not answer.", len(deadNew))
	if len(deadOld) != replaced || len(deadNew) != 0 {
		return fmt.Errorf("%d and %d addresses do not answer, instead of %d and 0", len(deadOld), len(deadNew), replaced)
	}
	return nil
}

// unreachable asks each address and returns those that do not answer.
func unreachable(ctx context.Context, all []netip.Addr) []netip.Addr {
	var mu sync.Mutex
	var dead []netip.Addr
	var wait sync.WaitGroup
	for _, a := range all {
		wait.Go(func() {
			answer := probe.One(ctx, "http://"+net.JoinHostPort(a.String(), "8080")+"/", 10*time.Second)
			if answer.Failure != "" {
				mu.Lock()
				defer mu.Unlock()
				dead = append(dead, a)
			}
		})
	}
	wait.Wait()
	slices.SortFunc(dead, netip.Addr.Compare)
	return dead
}

// showBalancer waits until exactly the ready addresses answer through HAProxy,
// and says so.
func (p *play) showBalancer(ctx context.Context) error {
	start := time.Now()
	var report probe.Report
	var want []netip.Addr
	err := fleet.Eventually(ctx, func() error {
		v, err := p.fleet.Look(ctx)
		if err != nil {
			return err
		}
		want = v.Joined
		report = probe.Many(ctx, frontend, max(2*len(want), 20))
		if err := address.Compare(want, report.Addresses()); err != nil {
			return err
		}
		if failed := report.Failed(); failed > 0 && len(want) > 0 {
			return fmt.Errorf("%d requests failed: %v", failed, report.Failures())
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("HAProxy does not follow the slices: %w", err)
	}
	p.say("%d new connections through HAProxy: %d addresses answered (%s), %d requests failed%s. Seen after %s.",
		len(report.Answers), len(want), address.Format(want), report.Failed(), because(report), time.Since(start).Round(10*time.Millisecond))
	return nil
}

func because(report probe.Report) string {
	for failure := range report.Failures() {
		return " (" + failure + ")"
	}
	return ""
}

func joinSizes(all [][]netip.Addr) string {
	parts := make([]string, len(all))
	for i, one := range all {
		parts[i] = strconv.Itoa(len(one))
	}
	return strings.Join(parts, " + ")
}
