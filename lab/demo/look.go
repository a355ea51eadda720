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

	v1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/slicewright/slicewright/lab/address"
	"github.com/slicewright/slicewright/lab/probe"
)

// view is where each kind of reader would send to.
type view struct {
	slices    [][]netip.Addr // the ready addresses of each slice, the largest first
	joined    []netip.Addr   // of all slices, in order
	endpoints []netip.Addr   // of the Endpoints object, in order
}

// look reads both APIs. It joins the slices by itself: a demo that checked
// slicewright with slicewright's own join would show nothing.
func (p *play) look(ctx context.Context) (view, error) {
	var v view
	list, err := p.client.DiscoveryV1().EndpointSlices(namespace).List(ctx, metav1.ListOptions{LabelSelector: discoveryv1.LabelServiceName + "=" + service})
	if err != nil {
		return v, fmt.Errorf("list EndpointSlices: %w", err)
	}
	for _, slice := range list.Items {
		var ready []netip.Addr
		for _, endpoint := range slice.Endpoints {
			if a, err := netip.ParseAddr(endpoint.Addresses[0]); err == nil && ptr.Deref(endpoint.Conditions.Ready, true) {
				ready = append(ready, a)
			}
		}
		v.slices = append(v.slices, ready)
		v.joined = append(v.joined, ready...)
	}
	slices.SortFunc(v.slices, func(a, b []netip.Addr) int { return len(b) - len(a) })
	v.joined = inOrder(v.joined)

	// The deprecated API is what the demo is about.
	endpoints, err := p.client.CoreV1().Endpoints(namespace).Get(ctx, service, metav1.GetOptions{}) //nolint:staticcheck // SA1019
	if err != nil {
		return v, fmt.Errorf("get Endpoints: %w", err)
	}
	for _, subset := range endpoints.Subsets {
		for _, ready := range subset.Addresses {
			if a, err := netip.ParseAddr(ready.IP); err == nil {
				v.endpoints = append(v.endpoints, a)
			}
		}
	}
	v.endpoints = inOrder(v.endpoints)
	return v, nil
}

func inOrder(all []netip.Addr) []netip.Addr {
	slices.SortFunc(all, netip.Addr.Compare)
	return slices.Compact(all)
}

// awaitReady waits until the slices' ready addresses are those of the ranges.
func (p *play) awaitReady(ctx context.Context, ranges ...string) error {
	want, err := address.Parse(strings.Join(ranges, ","))
	if err != nil {
		return err
	}
	return eventually(ctx, func() error {
		v, err := p.look(ctx)
		if err != nil {
			return err
		}
		return address.Compare(want, v.joined)
	})
}

// awaitPods waits until there are n Pods, all of them ready and none of them
// terminating.
func (p *play) awaitPods(ctx context.Context, n int) error {
	return eventually(ctx, func() error {
		pods, err := p.client.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{})
		if err != nil {
			return fmt.Errorf("list Pods: %w", err)
		}
		ready := 0
		for _, pod := range pods.Items {
			if pod.DeletionTimestamp == nil && isReady(&pod) {
				ready++
			}
		}
		if ready != n || len(pods.Items) != n {
			return fmt.Errorf("%d Pods, %d of them ready, instead of %d", len(pods.Items), ready, n)
		}
		return nil
	})
}

func isReady(pod *v1.Pod) bool {
	return slices.ContainsFunc(pod.Status.Conditions, func(c v1.PodCondition) bool {
		return c.Type == v1.PodReady && c.Status == v1.ConditionTrue
	})
}

// sayTwo says where the two kinds of reader would send to.
func (p *play) sayTwo(v view) {
	p.say("A reader of Endpoints sends to       %3d: %s.", len(v.endpoints), address.Format(v.endpoints))
	p.say("A reader of EndpointSlices sends to  %3d: %s.", len(v.joined), address.Format(v.joined))
}

// sayReached asks every address that either reader would send to.
func (p *play) sayReached(ctx context.Context, v view) error {
	deadOld, deadNew := unreachable(ctx, v.endpoints), unreachable(ctx, v.joined)
	p.say("Both say %d. Of what Endpoints says, %d do not answer (%s), and %d that do are missing (%s).",
		len(v.endpoints), len(deadOld), address.Format(deadOld),
		len(address.Without(v.joined, v.endpoints)), address.Format(address.Without(v.joined, v.endpoints)))
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
	return inOrder(dead)
}

// showBalancer waits until exactly the ready addresses answer through HAProxy,
// and says so.
func (p *play) showBalancer(ctx context.Context) error {
	start := time.Now()
	var report probe.Report
	var want []netip.Addr
	err := eventually(ctx, func() error {
		v, err := p.look(ctx)
		if err != nil {
			return err
		}
		want = v.joined
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
