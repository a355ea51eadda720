package scenario

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"os"
	"regexp"
	"slices"
	"strconv"
	"time"

	"github.com/slicewright/slicewright/lab/address"
	v1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// cmdAwait waits until something is so.
func (s *script) cmdAwait(_ io.Writer, args []string) error {
	if err := arguments(args, 2, 3); err != nil {
		return err
	}
	if len(args) == 2 {
		switch args[0] {
		case "rolled-out":
			return s.await(func(ctx context.Context) error { return s.rolledOut(ctx, args[1]) })
		case "drained":
			return s.await(func(ctx context.Context) error { return s.drained(ctx, args[1]) })
		}
		return errUsage
	}
	switch args[0] {
	case "pods":
		return s.awaitPods(args[1], args[2])
	case "slices":
		return s.awaitSlices(args[1], args[2])
	case "open":
		return s.awaitOpen(args[1], args[2])
	}
	pattern, err := regexp.Compile(args[2])
	if err != nil {
		return err
	}
	var read func(context.Context) ([]byte, error)
	switch args[0] {
	case "file":
		read = func(context.Context) ([]byte, error) { return os.ReadFile(s.path(args[1])) }
	case "log":
		p, err := s.product(args[1])
		if err != nil {
			return err
		}
		read = func(context.Context) ([]byte, error) { return os.ReadFile(p.Spec().Log) }
	case "get":
		read = func(ctx context.Context) ([]byte, error) { return get(ctx, args[1]) }
	default:
		return errUsage
	}
	return s.await(func(ctx context.Context) error {
		content, err := read(ctx)
		if err != nil {
			return err
		}
		if !pattern.Match(content) {
			return fmt.Errorf("%s %s does not match %q:\n%s", args[0], args[1], args[2], content[max(0, len(content)-2000):])
		}
		return nil
	})
}

// await waits for a condition, but not once a program under test has ended by
// itself: then it will not come true.
func (s *script) await(check func(context.Context) error) error {
	return eventually(s.ctx, func(ctx context.Context) error {
		err := check(ctx)
		if err == nil {
			return nil
		}
		for name, p := range s.products {
			if !p.Running() {
				return fmt.Errorf("%w, as %s has ended (%v): %w", errFinal, name, p.Err(), err)
			}
		}
		return err
	})
}

// rolledOut follows "kubectl rollout status": the newest template everywhere,
// as many Pods as wanted, all of them available, and no old one left.
func (s *script) rolledOut(ctx context.Context, name string) error {
	d, err := s.engine.Lab.Client.AppsV1().Deployments(s.namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	want, status := *d.Spec.Replicas, d.Status
	if status.ObservedGeneration < d.Generation || status.UpdatedReplicas != want || status.Replicas != want || status.AvailableReplicas != want {
		return fmt.Errorf("deployment %s: %d wanted, %d there, %d new, %d available", name, want, status.Replicas, status.UpdatedReplicas, status.AvailableReplicas)
	}
	return nil
}

// awaitPods waits for a number of Pods of a selector, terminating ones
// included, each of them running.
func (s *script) awaitPods(selector, number string) error {
	want, err := strconv.Atoi(number)
	if err != nil {
		return errUsage
	}
	return s.await(func(ctx context.Context) error {
		pods, err := s.pods(ctx, selector)
		if err != nil {
			return err
		}
		running := 0
		for _, pod := range pods {
			if pod.Status.Phase == v1.PodRunning {
				running++
			}
		}
		if len(pods) != want || running != want {
			return fmt.Errorf("%d Pods, %d running, instead of %d", len(pods), running, want)
		}
		return nil
	})
}

// awaitSlices waits for the ready addresses of a Service's slices: which ones,
// or how many.
func (s *script) awaitSlices(service, text string) error {
	number, err := strconv.Atoi(text)
	byNumber := err == nil
	var want []netip.Addr
	if !byNumber {
		if want, err = address.Parse(text); err != nil {
			return err
		}
	}
	return s.await(func(ctx context.Context) error {
		got, err := s.sliceAddresses(ctx, service)
		if err != nil {
			return err
		}
		if byNumber && len(got) != number {
			return fmt.Errorf("slices of %s have %d ready addresses instead of %d", service, len(got), number)
		}
		if byNumber {
			return nil
		}
		if err := address.Compare(want, got); err != nil {
			return fmt.Errorf("slices of %s: %w", service, err)
		}
		return nil
	})
}

// sliceAddresses are the ready addresses of a Service's slices, in order. It
// reads the API objects by itself: scenarios must not check the product with
// the product's own join.
func (s *script) sliceAddresses(ctx context.Context, service string) ([]netip.Addr, error) {
	list, err := s.slicesOf(ctx, service)
	if err != nil {
		return nil, err
	}
	state := map[string]*discoveryv1.EndpointSlice{}
	for i := range list {
		state[list[i].Name] = &list[i]
	}
	return readyAddresses(state), nil
}

func (s *script) slicesOf(ctx context.Context, service string) ([]discoveryv1.EndpointSlice, error) {
	list, err := s.engine.Lab.Client.DiscoveryV1().EndpointSlices(s.namespace).List(ctx, metav1.ListOptions{
		LabelSelector: discoveryv1.LabelServiceName + "=" + service,
	})
	if err != nil {
		return nil, err
	}
	return list.Items, nil
}

// drained is an error while an endpoint of the Service is terminating. The slices
// follow the Pods after a while: a Pod can be gone before its endpoint is.
func (s *script) drained(ctx context.Context, service string) error {
	list, err := s.slicesOf(ctx, service)
	if err != nil {
		return err
	}
	for _, slice := range list {
		for _, endpoint := range slice.Endpoints {
			if terminating := endpoint.Conditions.Terminating; terminating != nil && *terminating {
				return fmt.Errorf("%s of %s is terminating", endpoint.Addresses, slice.Name)
			}
		}
	}
	return nil
}

// readyAddresses are the ready addresses of slices, in order, each once.
func readyAddresses(state map[string]*discoveryv1.EndpointSlice) []netip.Addr {
	var all []netip.Addr
	for _, slice := range state {
		for _, endpoint := range slice.Endpoints {
			if ready := endpoint.Conditions.Ready; ready != nil && !*ready {
				continue
			}
			// The API server lets nothing else than addresses in.
			if a, err := netip.ParseAddr(endpoint.Addresses[0]); err == nil {
				all = append(all, a)
			}
		}
	}
	slices.SortFunc(all, netip.Addr.Compare)
	return slices.Compact(all)
}

func get(ctx context.Context, url string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	answer, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	content, err := io.ReadAll(io.LimitReader(answer.Body, 16<<20))
	if err != nil {
		return nil, err
	}
	return fmt.Appendf(content, "\nHTTP status %s\n", answer.Status), nil
}
