package main

import (
	"context"
	"errors"
	"net"
	"slices"
	"strconv"
	"strings"

	v1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
	"k8s.io/utils/ptr"
)

// endpoints follows the Endpoints object of the Service's name, by an informer,
// and returns once it has been read.
func (f followed) endpoints(ctx context.Context, set func([]string)) error {
	factory := informers.NewSharedInformerFactoryWithOptions(f.client, 0, informers.WithNamespace(f.namespace),
		informers.WithTweakListOptions(func(o *metav1.ListOptions) {
			o.FieldSelector = fields.OneTermEqualSelector("metadata.name", f.service).String()
		}))
	informer := factory.Core().V1().Endpoints().Informer() //nolint:endpointsvet // the old way is what it is for
	return start(ctx, factory, informer, func() {
		var all []string
		for _, object := range informer.GetStore().List() {
			//lint:ignore SA1019 the old way is what it is for
			for _, subset := range object.(*v1.Endpoints).Subsets { //nolint:endpointsvet // the old way is what it is for
				for _, port := range subset.Ports {
					if port.Name != f.port || port.Protocol != v1.ProtocolTCP {
						continue
					}
					for _, a := range subset.Addresses {
						all = append(all, net.JoinHostPort(a.IP, strconv.Itoa(int(port.Port))))
					}
				}
			}
		}
		set(all)
	})
}

// firstSlice follows the Service's slices as somebody would who has never seen
// two of them: it reads conditions and ports rightly, in the first one by name.
func (f followed) firstSlice(ctx context.Context, set func([]string)) error {
	factory := informers.NewSharedInformerFactoryWithOptions(f.client, 0, informers.WithNamespace(f.namespace),
		informers.WithTweakListOptions(func(o *metav1.ListOptions) {
			o.LabelSelector = discoveryv1.LabelServiceName + "=" + f.service
		}))
	informer := factory.Discovery().V1().EndpointSlices().Informer()
	return start(ctx, factory, informer, func() {
		var all []*discoveryv1.EndpointSlice
		for _, object := range informer.GetStore().List() {
			all = append(all, object.(*discoveryv1.EndpointSlice))
		}
		if len(all) == 0 {
			set(nil)
			return
		}
		set(f.ready(slices.MinFunc(all, func(a, b *discoveryv1.EndpointSlice) int { return strings.Compare(a.Name, b.Name) })))
	})
}

func (f followed) ready(slice *discoveryv1.EndpointSlice) []string {
	var all []string
	for _, port := range slice.Ports {
		if ptr.Deref(port.Name, "") != f.port || ptr.Deref(port.Port, 0) == 0 {
			continue
		}
		for _, e := range slice.Endpoints {
			if len(e.Addresses) > 0 && ptr.Deref(e.Conditions.Ready, true) && !ptr.Deref(e.Conditions.Terminating, false) {
				all = append(all, net.JoinHostPort(e.Addresses[0], strconv.Itoa(int(*port.Port))))
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// start runs an informer, calls changed after each of its events, and returns
// once the first list has been handled.
func start(ctx context.Context, factory informers.SharedInformerFactory, informer cache.SharedIndexInformer, changed func()) error {
	handler, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(any) { changed() },
		UpdateFunc: func(any, any) { changed() },
		DeleteFunc: func(any) { changed() },
	})
	if err != nil {
		return err
	}
	factory.Start(ctx.Done())
	if !cache.WaitForCacheSync(ctx.Done(), handler.HasSynced) {
		return errors.New("ended before the first list was read")
	}
	return nil
}
