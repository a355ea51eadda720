package verify

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/slicewright/slicewright/app/internal/apiclient"
	"github.com/slicewright/slicewright/app/internal/cli/choice"
	"github.com/slicewright/slicewright/app/internal/cli/command"
	"github.com/slicewright/slicewright/app/internal/verify/live"
	"github.com/slicewright/slicewright/endpointset"
	"github.com/slicewright/slicewright/watch/access"
	"github.com/slicewright/slicewright/watch/replay"
)

// verifySlices is where the slices come from.
type verifySlices struct {
	service endpointset.ServiceKey
	source  live.Source
	// client and host are nil and "" without a cluster.
	client apiclient.Interface
	host   string
}

func (f *verifyFlags) source(streams command.Streams, named endpointset.ServiceKey) (*verifySlices, error) {
	index := endpointset.NewIndex(endpointset.Options{})
	switch {
	case len(f.slices.Files) > 0:
		all, err := replay.Files(f.slices.Files, streams.In)
		if err != nil {
			return nil, err
		}
		relist := replay.Event{Relist: true, List: all}
		relist.Apply(index)
		return fixed(index, named, strings.Join(f.slices.Files, ", "))
	case f.slices.Events != "":
		recording, err := streams.OpenEvents(f.slices.Events)
		if err != nil {
			return nil, err
		}
		defer recording.Close()
		if err := replay.Stream(f.slices.Events, recording, func(e replay.Event) error { e.Apply(index); return nil }); err != nil {
			return nil, err
		}
		return fixed(index, named, f.slices.Events)
	}
	client, connection, err := f.cluster.Connect("verify")
	if err != nil {
		return nil, err
	}
	if named.Namespace == "" {
		if named.Namespace, err = f.cluster.CurrentNamespace(); err != nil {
			return nil, fmt.Errorf("connect to the cluster: %w", err)
		}
	}
	source := live.Cluster{Client: client.DiscoveryV1(), Service: named}
	return &verifySlices{service: named, source: accessChecked{source, client}, client: client, host: connection.Host}, nil
}

// fixed is what an index holds of a Service. Without a namespace it is in the one
// where it is found.
func fixed(index *endpointset.Index, named endpointset.ServiceKey, where string) (*verifySlices, error) {
	found := slices.DeleteFunc(index.Services(), func(key endpointset.ServiceKey) bool {
		return key.Name != named.Name || named.Namespace != "" && key.Namespace != named.Namespace
	})
	switch len(found) {
	case 0:
		return nil, command.WithExit(command.ExitUnknown, choice.ErrNoSlices(named, where))
	case 1:
		return &verifySlices{service: found[0], source: live.Fixed{Set: index.Service(found[0])}}, nil
	}
	return nil, command.UsageErrorf("Service %s is in the namespaces %s and %s of %s: write NAMESPACE/%s", named.Name, found[0].Namespace, found[1].Namespace, where, named.Name)
}

// accessChecked asks first whether slices may be read: a watch would try for ever.
type accessChecked struct {
	live.Cluster
	client apiclient.Interface
}

// Run implements live.Source.
func (c accessChecked) Run(ctx context.Context, t live.Teller) error {
	if err := access.Check(ctx, c.client.AuthorizationV1(), []string{c.Service.Namespace}); err != nil {
		return err
	}
	return c.Cluster.Run(ctx, t)
}

// allowedTimeout bounds the question for the Service, which has no other bound: an
// API server that takes longer is not waited for before the slices are read.
const allowedTimeout = 10 * time.Second

// allowed are the Service's own addresses, which may be probed whatever they
// are. Endpoints are not among them: whoever may write slices chooses those.
func (s *verifySlices) allowed(ctx context.Context) []netip.Prefix {
	if s.client == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, allowedTimeout)
	defer cancel()
	service, err := s.client.CoreV1().Services(s.service.Namespace).Get(ctx, s.service.Name, metav1.GetOptions{})
	if err != nil {
		return nil // without permission, or an answer, the addresses have to be allowed by hand
	}
	texts := slices.Clone(service.Spec.ClusterIPs)
	for _, ingress := range service.Status.LoadBalancer.Ingress {
		texts = append(texts, ingress.IP)
	}
	var prefixes []netip.Prefix
	for _, text := range texts {
		if address, err := netip.ParseAddr(text); err == nil {
			prefixes = append(prefixes, netip.PrefixFrom(address, address.BitLen()))
		}
	}
	return prefixes
}
