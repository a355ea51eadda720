package experiment

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/slicewright/slicewright/lab/probe"
)

// crossVersions brings the control plane to the version that the experiment is
// about, with the etcd data of the older one, under both sides.
func (a *stopAct) crossVersions(ctx context.Context) error {
	const name = "versions-crossed"
	if a.Upgrade == nil {
		a.leaveOut([]string{name}, "The lab had one version of Kubernetes.")
		return nil
	}
	return a.check(ctx, name, func(ctx context.Context, ev *evidence) error {
		from, before, err := a.stock(ctx)
		if err != nil {
			return err
		}
		for _, s := range []*side{a.consumer, a.reader} {
			if err := a.follows(ctx, s, a.ready(), ev, "On "+from); err != nil {
				return err
			}
		}
		steady := probe.Start(a.consumer.url, 20*time.Millisecond)
		start := time.Now()
		err = a.Upgrade(ctx)
		took := time.Since(start).Round(100 * time.Millisecond)
		meanwhile := steady.Stop()
		if err != nil {
			return err
		}
		to, after, err := a.stock(ctx)
		if err != nil {
			return err
		}
		if to == from {
			return short("the control plane is %s before and after", from)
		}
		if lost := sameUIDs(before, after); len(lost) > 0 {
			return short("%s does not have what %s had: %d objects, such as %s", to, from, len(lost), lost[0])
		}
		ev.saw("The control plane was stopped as %s and started as %s with the same etcd data, in %s: %d objects (the Service, its EndpointSlices, its Pods) have the UIDs that they had.",
			from, to, took, len(before))
		if meanwhile.Failed() > 0 {
			return short("meanwhile %d of %d requests through %s failed%s", meanwhile.Failed(), len(meanwhile.Answers), a.consumer.name, because(meanwhile))
		}
		ev.saw("Of %d requests through %s meanwhile, none failed.", len(meanwhile.Answers), a.consumer.name)
		// A consumer that only kept its old set would pass so far: it has to
		// follow the new version, too.
		if err := a.move(ctx); err != nil {
			return err
		}
		for _, s := range []*side{a.consumer, a.reader} {
			if err := a.follows(ctx, s, a.ready(), ev, fmt.Sprintf("On %s, after %d Pods had moved", to, movable)); err != nil {
				return err
			}
		}
		return nil
	})
}

// stock is the version of the control plane and the UIDs of what the act has.
func (a *stopAct) stock(ctx context.Context) (version string, uids map[string]string, err error) {
	info, err := a.client.Discovery().ServerVersion()
	if err != nil {
		return "", nil, fmt.Errorf("ask for the version: %w", err)
	}
	uids = map[string]string{}
	service, err := a.client.CoreV1().Services(a.Namespace).Get(ctx, a.fleet.Service, metav1.GetOptions{})
	if err != nil {
		return "", nil, fmt.Errorf("get the Service: %w", err)
	}
	uids["Service "+service.Name] = string(service.UID)
	list, err := a.client.DiscoveryV1().EndpointSlices(a.Namespace).List(ctx, metav1.ListOptions{LabelSelector: discoveryv1.LabelServiceName + "=" + a.fleet.Service})
	if err != nil {
		return "", nil, fmt.Errorf("list EndpointSlices: %w", err)
	}
	for _, s := range list.Items {
		uids["EndpointSlice "+s.Name] = string(s.UID)
	}
	pods, err := a.client.CoreV1().Pods(a.Namespace).List(ctx, metav1.ListOptions{LabelSelector: "app=" + a.fleet.Service})
	if err != nil {
		return "", nil, fmt.Errorf("list Pods: %w", err)
	}
	for _, p := range pods.Items {
		uids["Pod "+p.Name] = string(p.UID)
	}
	return "Kubernetes " + strings.TrimSpace(info.GitVersion), uids, nil
}

// sameUIDs says what of before is not in after.
func sameUIDs(before, after map[string]string) []string {
	var lost []string
	for name, uid := range before {
		if after[name] != uid {
			lost = append(lost, name)
		}
	}
	slices.Sort(lost)
	return lost
}
