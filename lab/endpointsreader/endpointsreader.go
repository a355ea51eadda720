// Package endpointsreader is a consumer of the kind that has to move: it reads
// one Endpoints object, as many programs of the house do, and writes what it
// says into a HAProxy. It does that well; what becomes of it when nobody writes
// Endpoints any more is what the lab is here to show.
package endpointsreader

//lint:file-ignore SA1019 reading the deprecated API is what this is for

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"slices"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"github.com/slicewright/slicewright/lab/haproxy"
)

// Config says what to follow and where to write it.
type Config struct {
	Cluster            *rest.Config
	Namespace, Service string
	// Port is the name of the Endpoints' port.
	Port string
	// HAProxy has the backend. What is in it is this program's alone.
	HAProxy *haproxy.HAProxy
	Backend string
	// Out gets a line for every set that was written.
	Out io.Writer
}

// every is how often HAProxy is looked at without a reason: after a restart it
// has no servers.
const every = 500 * time.Millisecond

// Run follows until ctx ends. What HAProxy refuses is tried again.
func Run(ctx context.Context, c Config) error {
	client, err := kubernetes.NewForConfig(c.Cluster)
	if err != nil {
		return fmt.Errorf("make a client: %w", err)
	}
	lister := cache.NewListWatchFromClient(client.CoreV1().RESTClient(), "endpoints", c.Namespace, //nolint:endpointsvet // what it is for
		fields.OneTermEqualSelector("metadata.name", c.Service))
	changed := make(chan struct{}, 1)
	wake := func() {
		select {
		case changed <- struct{}{}:
		default:
		}
	}
	store, informer := cache.NewInformerWithOptions(cache.InformerOptions{
		ListerWatcher: lister, ObjectType: &v1.Endpoints{}, //nolint:endpointsvet // what it is for
		Handler: cache.ResourceEventHandlerFuncs{
			AddFunc: func(any) { wake() }, UpdateFunc: func(_, _ any) { wake() }, DeleteFunc: func(any) { wake() },
		},
	})
	done := make(chan struct{})
	go func() {
		defer close(done)
		informer.RunWithContext(ctx)
	}()
	defer func() { <-done }()
	if !cache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
		return nil
	}
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		if err := c.follow(ctx, store); err != nil && ctx.Err() == nil {
			fmt.Fprintln(c.Out, err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-changed:
		case <-ticker.C:
		}
	}
}

// follow brings the backend to what the Endpoints object says.
func (c Config) follow(ctx context.Context, store cache.Store) error {
	var want []netip.AddrPort
	object, exists, err := store.GetByKey(c.Namespace + "/" + c.Service)
	if err != nil {
		return err
	}
	if exists {
		want = addresses(object.(*v1.Endpoints), c.Port) //nolint:endpointsvet // what it is for
	}
	has, err := c.HAProxy.Servers(ctx, c.Backend)
	if err != nil {
		return err
	}
	commands := plan(c.Backend, want, has)
	if len(commands) == 0 {
		return nil
	}
	var refused []error
	for _, command := range commands {
		answer, err := c.HAProxy.Command(ctx, command)
		if err != nil {
			return err
		}
		if answer = strings.TrimSpace(answer); answer != "" && !strings.HasPrefix(answer, "New server registered") && !strings.HasPrefix(answer, "Server deleted") {
			refused = append(refused, fmt.Errorf("haproxy command %q: %.200q", command, answer))
		}
	}
	fmt.Fprintf(c.Out, "%d servers\n", len(want))
	return errors.Join(refused...)
}

// addresses are the ready ones at a port, in order.
func addresses(e *v1.Endpoints, port string) []netip.AddrPort { //nolint:endpointsvet // what it is for
	var all []netip.AddrPort
	for _, subset := range e.Subsets {
		for _, p := range subset.Ports {
			if p.Name != port {
				continue
			}
			for _, a := range subset.Addresses {
				if ip, err := netip.ParseAddr(a.IP); err == nil {
					all = append(all, netip.AddrPortFrom(ip, uint16(p.Port)))
				}
			}
		}
	}
	slices.SortFunc(all, netip.AddrPort.Compare)
	return slices.Compact(all)
}

// plan are the commands that turn the servers there are into those wanted: new
// ones in before old ones out.
func plan(backend string, want []netip.AddrPort, has []haproxy.Server) []string {
	var commands []string
	for _, at := range want {
		if slices.ContainsFunc(has, func(s haproxy.Server) bool { return s.Address == at }) {
			continue
		}
		name := backend + "/" + serverName(at)
		commands = append(commands, "add server "+name+" "+at.String(), "enable server "+name)
	}
	for _, server := range has {
		if !slices.Contains(want, server.Address) {
			name := backend + "/" + server.Name
			commands = append(commands, "disable server "+name, "shutdown sessions server "+name, "del server "+name)
		}
	}
	return commands
}

// serverName is an address in the letters that HAProxy takes for a name.
func serverName(at netip.AddrPort) string {
	return "e" + strings.NewReplacer(".", "-", ":", "-", "[", "", "]", "").Replace(at.String())
}
