package cluster

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// resource is one resource to list.
type resource struct {
	schema.GroupVersionResource
	namespaced bool
	// lost says what is unknown without it.
	lost string
	page pageFunc
}

// pageFunc reads one page.
type pageFunc func(ctx context.Context, c *Client, r schema.GroupVersionResource, namespace string, opts metav1.ListOptions) (runtime.Object, error)

const (
	lostGrants    = "who may touch endpoints through it is not known"
	lostWorkloads = "what runs under a ServiceAccount is not fully known"
	lostWriters   = "who writes Endpoints is not known"
)

// resources are what is read, in this order.
var resources = []resource{
	{rbacv1.SchemeGroupVersion.WithResource("clusterroles"), false, lostGrants, whole[rbacv1.ClusterRoleList]},
	{rbacv1.SchemeGroupVersion.WithResource("clusterrolebindings"), false, lostGrants, whole[rbacv1.ClusterRoleBindingList]},
	{rbacv1.SchemeGroupVersion.WithResource("roles"), true, lostGrants, whole[rbacv1.RoleList]},
	{rbacv1.SchemeGroupVersion.WithResource("rolebindings"), true, lostGrants, whole[rbacv1.RoleBindingList]},
	{corev1.SchemeGroupVersion.WithResource("serviceaccounts"), true, lostWorkloads, whole[corev1.ServiceAccountList]},
	{appsv1.SchemeGroupVersion.WithResource("deployments"), true, lostWorkloads, whole[appsv1.DeploymentList]},
	{appsv1.SchemeGroupVersion.WithResource("statefulsets"), true, lostWorkloads, whole[appsv1.StatefulSetList]},
	{appsv1.SchemeGroupVersion.WithResource("daemonsets"), true, lostWorkloads, whole[appsv1.DaemonSetList]},
	{batchv1.SchemeGroupVersion.WithResource("cronjobs"), true, lostWorkloads, whole[batchv1.CronJobList]},
	{batchv1.SchemeGroupVersion.WithResource("jobs"), true, lostWorkloads, whole[batchv1.JobList]},
	{corev1.SchemeGroupVersion.WithResource("replicationcontrollers"), true, lostWorkloads, whole[corev1.ReplicationControllerList]},
	{appsv1.SchemeGroupVersion.WithResource("replicasets"), true, lostWorkloads, replicaSets},
	{corev1.SchemeGroupVersion.WithResource("pods"), true, lostWorkloads, whole[corev1.PodList]},
	{corev1.SchemeGroupVersion.WithResource("services"), true, lostWriters, whole[corev1.ServiceList]},
	{corev1.SchemeGroupVersion.WithResource("endpoints"), true, lostWriters, metadataOnly("Endpoints")}, //nolint:endpointsvet // who writes them is what is asked
	{discoveryv1.SchemeGroupVersion.WithResource("endpointslices"), true, lostWriters, metadataOnly("EndpointSlice")},
}

// whole lists whole objects, for kinds whose spec matters. L is the type of the
// list.
func whole[L any, P interface {
	*L
	runtime.Object
}](ctx context.Context, c *Client, r schema.GroupVersionResource, namespace string, opts metav1.ListOptions) (runtime.Object, error) {
	page := P(new(L))
	return page, c.list(ctx, r, namespace, opts, page)
}

// metadataOnly lists metadata of objects of a kind.
func metadataOnly(kind string) pageFunc {
	return func(ctx context.Context, c *Client, r schema.GroupVersionResource, namespace string, opts metav1.ListOptions) (runtime.Object, error) {
		page, err := c.listMetadata(ctx, r, namespace, opts) //nolint:endpointsvet // who writes Endpoints is what is asked
		if err != nil {
			return nil, err
		}
		// The items of such a list call themselves PartialObjectMetadata.
		for i := range page.Items {
			page.Items[i].Kind = kind
		}
		return page, nil
	}
}

// replicaSets lists metadata, since nearly all ReplicaSets are a Deployment's old
// and present generations. A ReplicaSet without an owner is a workload of its own:
// it is then read whole.
func replicaSets(ctx context.Context, c *Client, r schema.GroupVersionResource, namespace string, opts metav1.ListOptions) (runtime.Object, error) {
	page, err := c.listMetadata(ctx, r, namespace, opts)
	if err != nil {
		return nil, err
	}
	out := &metav1.List{ListMeta: page.ListMeta}
	for i := range page.Items {
		item := &page.Items[i]
		item.Kind = "ReplicaSet"
		out.Items = append(out.Items, runtime.RawExtension{Object: item})
		if metav1.GetControllerOf(item) != nil {
			continue
		}
		// It may be gone meanwhile, or get is forbidden where list is not: its Pods
		// still name it.
		full := &appsv1.ReplicaSet{}
		if c.get(ctx, r, item.Namespace, item.Name, full) == nil {
			out.Items[i].Object = full
		}
	}
	return out, nil
}
