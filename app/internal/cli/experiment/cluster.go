package experiment

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/pager"
	"sigs.k8s.io/yaml"

	"github.com/slicewright/slicewright/app/internal/cli/command"
	"github.com/slicewright/slicewright/app/internal/readiness/experiment"
)

// readPlanCluster looks at a cluster for a plan. What may not be read is in the
// plan, and is no error; a cluster that does not answer at all is one.
func readPlanCluster(ctx context.Context, flags *command.ClusterFlags) (*experiment.Cluster, error) {
	client, _, err := flags.Connect("experiment plan")
	if err != nil {
		return nil, err
	}
	return planCluster(ctx, client)
}

// planCluster gets and lists, and does nothing else.
func planCluster(ctx context.Context, client kubernetes.Interface) (*experiment.Cluster, error) {
	c := &experiment.Cluster{Unread: map[string]string{}}
	version, err := discovery.ToServerVersionInterfaceWithContext(client.Discovery()).ServerVersionWithContext(ctx)
	switch {
	case apierrors.IsForbidden(err) || apierrors.IsUnauthorized(err):
		c.Unread["the version"] = err.Error()
	case err != nil:
		return nil, fmt.Errorf("read the cluster's version: %w", err)
	default:
		c.Version = version.GitVersion
	}
	pods, err := client.CoreV1().Pods(metav1.NamespaceSystem).List(ctx, metav1.ListOptions{LabelSelector: "component=kube-controller-manager"})
	if err != nil {
		c.Unread["Pods in kube-system"] = err.Error()
	} else {
		for i := range pods.Items {
			c.Managers = append(c.Managers, planManager(&pods.Items[i]))
		}
	}
	err = pager.New(func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
		return client.CoreV1().Nodes().List(ctx, o)
	}).EachListItem(ctx, metav1.ListOptions{}, func(object runtime.Object) error {
		for key := range object.(*corev1.Node).Labels {
			if !slices.Contains(c.Labels, key) {
				c.Labels = append(c.Labels, key)
			}
		}
		return nil
	})
	if err != nil {
		c.Unread["nodes"] = err.Error()
	}
	lease, err := client.CoordinationV1().Leases(metav1.NamespaceSystem).Get(ctx, "kube-controller-manager", metav1.GetOptions{})
	switch {
	case err != nil:
		c.Unread["the Lease kube-system/kube-controller-manager"] = err.Error()
	case lease.Spec.HolderIdentity != nil:
		c.Leader = *lease.Spec.HolderIdentity
	}
	config, err := client.CoreV1().ConfigMaps(metav1.NamespaceSystem).Get(ctx, "kubeadm-config", metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err): // not every cluster is kubeadm's
	case err != nil:
		c.Unread["the ConfigMap kube-system/kubeadm-config"] = err.Error()
	default:
		const name = "kubeadm-config, ClusterConfiguration"
		if c.Kubeadm, err = experiment.ParseKubeadm(name, []byte(config.Data["ClusterConfiguration"])); err != nil {
			c.Unread["the ConfigMap kube-system/kubeadm-config"] = err.Error()
		}
	}
	services, err := client.CoreV1().Services("").List(ctx, metav1.ListOptions{Limit: 1})
	if err == nil { // their number is a courtesy
		c.Services = len(services.Items)
		if more := services.RemainingItemCount; more != nil {
			c.Services += int(*more)
		}
	}
	return c, ctx.Err()
}

// planManager reads a mirror Pod, whose command line is that of the file.
func planManager(pod *corev1.Pod) experiment.Manager {
	m := experiment.Manager{Node: pod.Spec.NodeName}
	stripped := corev1.Pod{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
		ObjectMeta: metav1.ObjectMeta{Name: pod.Name}, Spec: corev1.PodSpec{Containers: pod.Spec.Containers},
	}
	text, err := yaml.Marshal(&stripped)
	if err == nil {
		m.Manifest, err = experiment.ParseManifest("Pod "+pod.Name, text)
	}
	if err != nil {
		m.Problem = err.Error()
	}
	return m
}
