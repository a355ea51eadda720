package scenario

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"sync"
	"time"

	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"

	"github.com/slicewright/slicewright/lab/haproxy"
)

// cmdObserve looks at a backend again and again. In the end the backend must
// never have had fewer servers than the Service's slices ever had ready
// addresses meanwhile, nor fewer than the script says.
//
// The slices are looked at too because they shrink by themselves: the
// controller writes one slice after another, and an address can leave the first
// before another comes into the second, even where a Deployment keeps every Pod
// available.
func (s *script) cmdObserve(out io.Writer, args []string) error {
	if err := arguments(args, 2, 4); err != nil {
		return err
	}
	name := args[1]
	switch {
	case args[0] == "start" && len(args) == 4:
		if s.observers[name] != nil {
			return fmt.Errorf("observer %q runs already", name)
		}
		o, err := observe(s.ctx, s.engine.Lab.Client, s.haproxy, args[2], s.namespace, args[3])
		if err != nil {
			return err
		}
		s.observers[name] = o
		return nil
	case args[0] == "stop" && len(args) <= 3:
		least := 0
		if len(args) == 3 {
			var err error
			if least, err = strconv.Atoi(args[2]); err != nil {
				return errUsage
			}
		}
		o := s.observers[name]
		if o == nil {
			return fmt.Errorf("no observer %q", name)
		}
		delete(s.observers, name)
		return o.judge(out, least)
	}
	return errUsage
}

// observer counts, until it is stopped, the servers of a backend that get new
// connections and the ready addresses of a Service's slices.
type observer struct {
	cancel context.CancelFunc
	wait   sync.WaitGroup
	ready  func() int // the fewest ready addresses so far

	servers []int // one for each look; written by the goroutine, read after wait
	err     error // the last failed look's; the same
}

func observe(ctx context.Context, client kubernetes.Interface, h *haproxy.HAProxy, backend, namespace, service string) (*observer, error) {
	own, cancel := context.WithCancel(context.Background())
	o := &observer{cancel: cancel}
	var synced func() bool
	o.ready, synced = o.watchReady(own, client, namespace, service)
	o.wait.Go(func() { o.watchServers(own, h, backend) })
	if !cache.WaitForCacheSync(ctx.Done(), synced) {
		o.stop()
		return nil, fmt.Errorf("observe the slices of %s: %w", service, context.Cause(ctx))
	}
	return o, nil
}

func (o *observer) stop() {
	o.cancel()
	o.wait.Wait()
}

func (o *observer) judge(out io.Writer, least int) error {
	o.stop()
	if len(o.servers) == 0 {
		return errors.Join(errors.New("HAProxy never answered the observer"), o.err)
	}
	fewest, ready := slices.Min(o.servers), o.ready()
	fmt.Fprintf(out, "looks %d\nservers %d to %d\nready at least %d\n", len(o.servers), fewest, slices.Max(o.servers), ready)
	if least = max(least, ready); fewest < least {
		return fmt.Errorf("the backend once had %d servers instead of at least %d", fewest, least)
	}
	return nil
}

func (o *observer) watchServers(ctx context.Context, h *haproxy.HAProxy, backend string) {
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	for {
		servers, err := h.Servers(ctx, backend)
		if err == nil {
			o.servers = append(o.servers, len(serverAddresses(servers, haproxy.Server.Active)))
		} else if ctx.Err() == nil {
			o.err = err
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// watchReady follows every single change of a Service's slices and keeps the
// smallest number of ready addresses that there was.
func (o *observer) watchReady(ctx context.Context, client kubernetes.Interface, namespace, service string) (fewest func() int, synced func() bool) {
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace(namespace),
		informers.WithTweakListOptions(func(options *metav1.ListOptions) {
			options.LabelSelector = discoveryv1.LabelServiceName + "=" + service
		}))
	var mu sync.Mutex
	state := map[string]*discoveryv1.EndpointSlice{}
	least := math.MaxInt
	count := func() {
		ready := len(readyAddresses(state))
		least = min(least, ready)
	}
	informer := factory.Discovery().V1().EndpointSlices().Informer()
	// Adding a handler fails only on an informer that has stopped.
	handler, _ := informer.AddEventHandler(cache.ResourceEventHandlerDetailedFuncs{
		AddFunc: func(object any, initial bool) {
			mu.Lock()
			defer mu.Unlock()
			slice := object.(*discoveryv1.EndpointSlice)
			state[slice.Name] = slice
			if !initial {
				count()
			}
		},
		UpdateFunc: func(_, object any) {
			mu.Lock()
			defer mu.Unlock()
			slice := object.(*discoveryv1.EndpointSlice)
			state[slice.Name] = slice
			count()
		},
		DeleteFunc: func(object any) {
			mu.Lock()
			defer mu.Unlock()
			if key, err := cache.DeletionHandlingMetaNamespaceKeyFunc(object); err == nil {
				_, name, _ := cache.SplitMetaNamespaceKey(key)
				delete(state, name)
			}
			count()
		},
	})
	factory.StartWithContext(ctx)
	o.wait.Go(func() {
		<-ctx.Done()
		factory.Shutdown()
	})
	return func() int {
		mu.Lock()
		defer mu.Unlock()
		count()
		return least
	}, handler.HasSynced
}
