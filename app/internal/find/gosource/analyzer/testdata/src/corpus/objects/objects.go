// Package objects uses controller-runtime and object clients like it.
package objects

import (
	"context"

	"example.org/objects"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/source"
)

type reconciler struct {
	client.Client
	watched client.Object
	empty   func() client.ObjectList
}

func (r *reconciler) reconcile(ctx context.Context) {
	var ep corev1.Endpoints
	_ = r.Get(ctx, client.ObjectKey{Namespace: "prod", Name: "web"}, &ep)           // want `go/controller-runtime get \(reader`
	_ = r.Get(ctx, client.ObjectKey{Namespace: "default", Name: "kubernetes"}, &ep) // want `go/controller-runtime get \(apiserver-discovery`
	_ = r.Get(ctx, client.ObjectKey{}, &corev1.Pod{})
	_ = r.List(ctx, &corev1.EndpointsList{})     // want `go/controller-runtime list`
	_ = r.Update(ctx, &ep)                       // want `go/controller-runtime update \(producer`
	_ = r.Patch(ctx, &ep, client.MergeFrom(&ep)) // want `go/controller-runtime patch \(producer`
	ep.Subsets = nil
	_, _ = controllerutil.CreateOrUpdate(ctx, r.Client, &ep, nil) // want `go/controller-runtime get,create,update \(producer`
	_ = controllerutil.SetOwnerReference(&corev1.Service{}, &ep)
	_ = client.ObjectKeyFromObject(&ep)
}

func setup(mgr any, r *reconciler) error {
	return builder.ControllerManagedBy(mgr).
		For(&corev1.Service{}).
		Owns(&corev1.Endpoints{}).         // want `go/controller-runtime list,watch`
		Watches(&corev1.Endpoints{}, nil). // want `go/controller-runtime list,watch`
		Complete(r)
}

func throughField(mgr any) {
	r := &reconciler{watched: &corev1.Endpoints{}}
	builder.ControllerManagedBy(mgr).Watches(r.watched, nil) // want `go/controller-runtime list,watch`
}

func throughVariable(ctx context.Context, c client.Reader) {
	var list client.ObjectList = &corev1.EndpointsList{}
	_ = c.List(ctx, list) // want `go/controller-runtime list`
}

func throughClosure(ctx context.Context, c client.Reader) {
	r := &reconciler{empty: func() client.ObjectList { return &corev1.EndpointsList{} }}
	list := func() client.ObjectList { return &corev1.EndpointsList{} }()
	_ = c.List(ctx, list) // want `go/controller-runtime list`
	_ = r
}

func rawSource(cache any) any {
	return source.Kind(cache, &corev1.Endpoints{}, nil) // want `go/controller-runtime list,watch`
}

func list[T client.ObjectList](ctx context.Context, c client.Reader, into T) error {
	return c.List(ctx, into)
}

func get[T any, P interface {
	*T
	client.Object
}](ctx context.Context, c client.Reader) (P, error) {
	obj := P(new(T))
	return obj, c.Get(ctx, client.ObjectKey{}, obj)
}

func generic(ctx context.Context, c client.Reader) {
	_ = list(ctx, c, &corev1.EndpointsList{}) // want `go/controller-runtime list`
	_ = list(ctx, c, &corev1.PodList{})
	_, _ = get[corev1.Endpoints](ctx, c) // want `go/controller-runtime get`
	_, _ = get[corev1.Pod](ctx, c)
}

type reader[T client.Object] struct {
	client.Reader
	zero func() T
}

func (r reader[T]) read(ctx context.Context) error {
	var obj T
	return r.Reader.Get(ctx, client.ObjectKey{}, obj)
}

func genericType(ctx context.Context, c client.Reader) {
	r := reader[*corev1.Endpoints]{Reader: c}
	_ = r.read(ctx) // want `go/controller-runtime get`
	p := reader[*corev1.Pod]{Reader: c}
	_ = p.read(ctx)
}

func wrapped(ctx context.Context, c client.Reader) {
	_ = fetch(ctx, c, &corev1.Endpoints{}) // want `go/controller-runtime get`
	_ = fetch(ctx, c, &corev1.Service{})
}

func fetch(ctx context.Context, c client.Reader, obj client.Object) error {
	return c.Get(ctx, client.ObjectKey{}, obj)
}

type ownClient interface {
	List(ctx context.Context, into any) error
}

func others(ctx context.Context, own ownClient, other *objects.Client, controller objects.Controller[*corev1.Endpoints]) {
	_ = own.List(ctx, &corev1.EndpointsList{})   // want `go/object-client list`
	_ = other.List(ctx, &corev1.EndpointsList{}) // want `go/object-client list`
	controller.OnChange(ctx, "x", nil)           // want `go/object-client list,watch`
	_, _ = controller.Get("prod", "web")         // want `go/object-client get`
}

func cacheOptions(use func(map[client.Object]bool)) {
	use(map[client.Object]bool{
		&corev1.Pod{}:       true,
		&corev1.Endpoints{}: true, // want `go/controller-runtime list,watch`
	})
}

type renamed = corev1.Endpoints

func throughAlias(ctx context.Context, c client.Reader) {
	var e renamed
	_ = c.Get(ctx, client.ObjectKey{}, &e) // want `go/controller-runtime get`
}

type handler interface{ Update(ep *corev1.Endpoints) }

type store map[string]*corev1.Endpoints

func (s store) Get(name string) *corev1.Endpoints { return s[name] }

func inProcess(h handler, s store) {
	h.Update(s.Get("web")) // want `go/object-client update \(producer, possible`
}
