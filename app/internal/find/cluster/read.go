package objects

import (
	"context"
	"errors"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"

	"github.com/slicewright/slicewright/app/internal/find/evidence"
)

// UserAgent is the first part of the user agent of every request that this
// product makes. Audit sources leave out what carries it, and count it.
const UserAgent = "slicewright"

// Clients are the two clients that a cluster is read with.
type Clients struct {
	Kubernetes kubernetes.Interface
	Metadata   metadata.Interface
}

// NewClients makes the clients. Their requests carry the user agent
// "slicewright/VERSION (find)"; config is copied and keeps its own.
func NewClients(config *rest.Config, version string) (Clients, error) {
	if version == "" {
		version = "unknown"
	}
	own := rest.CopyConfig(config)
	own.UserAgent = UserAgent + "/" + version + " (find)"
	// Some twenty lists of some pages each: the client's default of 5 requests a
	// second is for controllers that run for ever, and the server has its own
	// protection.
	own.QPS, own.Burst = 50, 100
	// Protobuf takes the server and this program a fraction of what JSON does; a
	// server that has none answers in JSON.
	own.ContentType = runtime.ContentTypeProtobuf
	own.AcceptContentTypes = runtime.ContentTypeProtobuf + "," + runtime.ContentTypeJSON
	// That Endpoints are deprecated is why they are read here.
	own.WarningHandler, own.WarningHandlerWithContext = rest.NoWarnings{}, nil
	typed, err := kubernetes.NewForConfig(own)
	if err != nil {
		return Clients{}, fmt.Errorf("make a client for %s: %w", own.Host, err)
	}
	meta, err := metadata.NewForConfig(own)
	if err != nil {
		return Clients{}, fmt.Errorf("make a metadata client for %s: %w", own.Host, err)
	}
	return Clients{typed, meta}, nil
}

// ClusterOptions say how to read a cluster. The zero value is usable.
type ClusterOptions struct {
	// PageSize is how many objects a request asks for; 0 is 500.
	PageSize int64
	// Namespaces are read one by one where a list over all is forbidden.
	Namespaces []string
	// Progress, where not nil, is told each resource before it is listed, in the
	// caller's goroutine.
	Progress func(resource string)
}

// ReadCluster reads a cluster once, in pages, one resource after the other. Only
// the metadata is asked for of Endpoints, EndpointSlices and ReplicaSets.
//
// It lists; it changes nothing and watches nothing. What it may not list is a
// problem in the coverage, and the rest is read all the same. An error is
// returned only when ctx ends; the snapshot then holds what came before. The
// resources are read at moments of their own: an object made meanwhile may be
// seen without its owner.
func ReadCluster(ctx context.Context, clients Clients, opts ClusterOptions) (*Snapshot, evidence.Coverage, error) {
	if opts.PageSize == 0 {
		opts.PageSize = 500 // what kubectl and client-go ask for
	}
	c := &clusterReader{
		clients: clients, opts: opts, snapshot: &Snapshot{},
		coverage: evidence.Coverage{Source: evidence.SourceRBAC},
	}
	for _, l := range c.lists() {
		if opts.Progress != nil {
			opts.Progress(l.resource)
		}
		c.readAll(ctx, l)
		if err := ctx.Err(); err != nil {
			return c.snapshot, c.finish(), fmt.Errorf("read the cluster: list %s: %w", l.resource, err)
		}
	}
	return c.snapshot, c.finish(), nil
}

// list is one resource to list.
type list struct {
	resource, group string
	namespaced      bool
	// lost says what is unknown without it.
	lost string
	page func(ctx context.Context, namespace string, opts metav1.ListOptions) (runtime.Object, error)
}

// clusterReader gathers a snapshot and its coverage from a cluster.
type clusterReader struct {
	clients  Clients
	opts     ClusterOptions
	snapshot *Snapshot
	coverage evidence.Coverage
}

const (
	lostGrants    = "who may touch endpoints through it is not known"
	lostWorkloads = "what runs under a ServiceAccount is not fully known"
	lostWriters   = "who writes Endpoints is not known"
)

func (c *clusterReader) lists() []list {
	core, apps, batch := c.clients.Kubernetes.CoreV1(), c.clients.Kubernetes.AppsV1(), c.clients.Kubernetes.BatchV1()
	rbac := c.clients.Kubernetes.RbacV1()
	const rbacGroup = "rbac.authorization.k8s.io"
	return []list{
		{"clusterroles", rbacGroup, false, lostGrants, typed(func(string) lister[*rbacv1.ClusterRoleList] { return rbac.ClusterRoles() })},
		{"clusterrolebindings", rbacGroup, false, lostGrants, typed(func(string) lister[*rbacv1.ClusterRoleBindingList] { return rbac.ClusterRoleBindings() })},
		{"roles", rbacGroup, true, lostGrants, typed(func(ns string) lister[*rbacv1.RoleList] { return rbac.Roles(ns) })},
		{"rolebindings", rbacGroup, true, lostGrants, typed(func(ns string) lister[*rbacv1.RoleBindingList] { return rbac.RoleBindings(ns) })},
		{"serviceaccounts", "", true, lostWorkloads, typed(func(ns string) lister[*corev1.ServiceAccountList] { return core.ServiceAccounts(ns) })},
		{"deployments", "apps", true, lostWorkloads, typed(func(ns string) lister[*appsv1.DeploymentList] { return apps.Deployments(ns) })},
		{"statefulsets", "apps", true, lostWorkloads, typed(func(ns string) lister[*appsv1.StatefulSetList] { return apps.StatefulSets(ns) })},
		{"daemonsets", "apps", true, lostWorkloads, typed(func(ns string) lister[*appsv1.DaemonSetList] { return apps.DaemonSets(ns) })},
		{"cronjobs", "batch", true, lostWorkloads, typed(func(ns string) lister[*batchv1.CronJobList] { return batch.CronJobs(ns) })},
		{"jobs", "batch", true, lostWorkloads, typed(func(ns string) lister[*batchv1.JobList] { return batch.Jobs(ns) })},
		{"replicationcontrollers", "", true, lostWorkloads, typed(func(ns string) lister[*corev1.ReplicationControllerList] { return core.ReplicationControllers(ns) })},
		{"replicasets", "apps", true, lostWorkloads, c.replicaSets()},
		{"pods", "", true, lostWorkloads, typed(func(ns string) lister[*corev1.PodList] { return core.Pods(ns) })},
		{"services", "", true, lostWriters, typed(func(ns string) lister[*corev1.ServiceList] { return core.Services(ns) })},
		{"endpoints", "", true, lostWriters, c.metadataOnly(schema.GroupVersionResource{Version: "v1", Resource: "endpoints"}, "Endpoints")}, //nolint:endpointsvet // who writes them is what is asked
		{
			"endpointslices", "discovery.k8s.io", true, lostWriters,
			c.metadataOnly(schema.GroupVersionResource{Group: "discovery.k8s.io", Version: "v1", Resource: "endpointslices"}, "EndpointSlice"),
		},
	}
}

// readAll reads one resource in all namespaces, or where that is forbidden in
// those that the caller named.
func (c *clusterReader) readAll(ctx context.Context, l list) {
	err := c.read(ctx, l, metav1.NamespaceAll)
	if err == nil {
		return
	}
	if !apierrors.IsForbidden(err) || !l.namespaced || len(c.opts.Namespaces) == 0 {
		c.problem(l, metav1.NamespaceAll, err)
		return
	}
	for _, namespace := range c.opts.Namespaces {
		if err := c.read(ctx, l, namespace); err != nil {
			c.problem(l, namespace, err)
		}
	}
	c.coverage.Problem(l.resource, fmt.Sprintf("may be listed in %d namespaces only: in others %s", len(c.opts.Namespaces), l.lost))
}

// read reads one resource in one namespace, or in all. A list that takes so long
// that its continuation expires is begun again in one piece.
func (c *clusterReader) read(ctx context.Context, l list, namespace string) error {
	opts := metav1.ListOptions{Limit: c.opts.PageSize}
	got := &Snapshot{}
	var problems []evidence.Problem
	for {
		page, err := l.page(ctx, namespace, opts)
		if apierrors.IsResourceExpired(err) && opts.Continue != "" {
			got, problems, opts = &Snapshot{}, nil, metav1.ListOptions{}
			continue
		}
		if err != nil {
			return err
		}
		err = meta.EachListItem(page, func(item runtime.Object) error {
			if err := got.Add(item, Place{}); err != nil {
				problems = append(problems, evidence.Problem{Locator: l.resource, Message: err.Error()})
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("the answer is no list: %w", err)
		}
		list, err := meta.ListAccessor(page)
		if err != nil {
			return fmt.Errorf("the answer is no list: %w", err)
		}
		if list.GetContinue() == "" {
			break
		}
		opts.Continue = list.GetContinue()
	}
	c.snapshot.take(got)
	c.coverage.Skipped += len(problems)
	c.coverage.Problems = append(c.coverage.Problems, problems...)
	return nil
}

// take moves everything from other into s.
func (s *Snapshot) take(other *Snapshot) {
	s.Roles = append(s.Roles, other.Roles...)
	s.Bindings = append(s.Bindings, other.Bindings...)
	s.ServiceAccounts = append(s.ServiceAccounts, other.ServiceAccounts...)
	s.Workloads = append(s.Workloads, other.Workloads...)
	s.Pods = append(s.Pods, other.Pods...)
	s.Services = append(s.Services, other.Services...)
	s.Endpoints = append(s.Endpoints, other.Endpoints...)
	s.Slices = append(s.Slices, other.Slices...)
}

func (c *clusterReader) problem(l list, namespace string, err error) {
	where := "in the cluster"
	if namespace != "" {
		where = "in namespace " + namespace
	}
	resource := l.resource
	if l.group != "" {
		resource += "." + l.group
	}
	message := fmt.Sprintf("cannot be listed %s: %v; %s", where, plainError(err), l.lost)
	if apierrors.IsForbidden(err) {
		message = fmt.Sprintf("may not be listed %s (403): %s; grant the verb list on %s", where, l.lost, resource)
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		message = fmt.Sprintf("was not listed %s to its end: the time was over; %s", where, l.lost)
	}
	c.coverage.Skipped++
	c.coverage.Problem(l.resource, message)
}

func (c *clusterReader) finish() evidence.Coverage {
	out := c.coverage
	out.Read = c.snapshot.Len()
	return out
}
