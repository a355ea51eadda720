package gate

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/discovery"
	batchclient "k8s.io/client-go/kubernetes/typed/batch/v1"
	"k8s.io/client-go/tools/pager"

	"github.com/slicewright/slicewright/app/internal/apiclient"
	"github.com/slicewright/slicewright/app/internal/cli/command"
	"github.com/slicewright/slicewright/app/internal/find/evidence"
	"github.com/slicewright/slicewright/app/internal/readiness"
)

// readGateCluster reads what criteria ask of a running cluster. A resource that
// may not be listed makes its criteria unknown and is no error.
func readGateCluster(ctx context.Context, flags *command.ClusterFlags) (*readiness.Cluster, error) {
	client, connection, err := flags.Connect("gate")
	if err != nil {
		return nil, err
	}
	batch, err := batchclient.NewForConfig(connection)
	if err != nil {
		return nil, fmt.Errorf("connect to the cluster: %w", err)
	}
	versions, err := discovery.NewDiscoveryClientForConfig(connection)
	if err != nil {
		return nil, fmt.Errorf("connect to the cluster: %w", err)
	}
	return listGateCluster(ctx, gateClients{client, batch, versions}), nil
}

// clients are what the cluster is read with.
type clients interface {
	apiclient.Interface
	BatchV1() batchclient.BatchV1Interface
	Discovery() discovery.DiscoveryInterfaces
}

type gateClients struct {
	apiclient.Interface
	batch    *batchclient.BatchV1Client
	versions *discovery.DiscoveryClient
}

func (c gateClients) BatchV1() batchclient.BatchV1Interface    { return c.batch }
func (c gateClients) Discovery() discovery.DiscoveryInterfaces { return c.versions }

func listGateCluster(ctx context.Context, client clients) *readiness.Cluster {
	c := &readiness.Cluster{Read: time.Now(), Unread: map[string]string{}}
	// Without an answer the version is not known, which the criteria that need it say.
	if version, err := client.Discovery().ServerVersion(); err == nil {
		c.Kubernetes = version.GitVersion
	}
	list := func(resource string, page pager.ListPageFunc, take func(runtime.Object)) {
		err := pager.New(page).EachListItem(ctx, metav1.ListOptions{}, func(object runtime.Object) error {
			take(object)
			return nil
		})
		if err != nil {
			c.Unread[resource] = err.Error()
		}
	}
	list("pods", func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
		return client.CoreV1().Pods("").List(ctx, o)
	}, func(object runtime.Object) {
		c.Pods = append(c.Pods, gatePods(object.(*corev1.Pod))...)
	})
	list("leases", func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
		return client.CoordinationV1().Leases("").List(ctx, o)
	}, func(object runtime.Object) {
		c.Leases = append(c.Leases, gateLeases(object.(*coordinationv1.Lease))...)
	})
	list("cronjobs.batch", func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
		return client.BatchV1().CronJobs("").List(ctx, o)
	}, func(object runtime.Object) {
		c.CronJobs = append(c.CronJobs, gateCronJob(object.(*batchv1.CronJob)))
	})
	return c
}

// gatePods returns the Pod if it runs: one that ended runs no version.
func gatePods(p *corev1.Pod) []readiness.Pod {
	if p.Status.Phase == corev1.PodSucceeded || p.Status.Phase == corev1.PodFailed {
		return nil
	}
	pod := readiness.Pod{Namespace: p.Namespace, Name: p.Name, ServiceAccount: p.Spec.ServiceAccountName, Workload: podWorkload(p)}
	for _, s := range p.Status.ContainerStatuses {
		_, digest, _ := strings.Cut(s.ImageID, "@")
		pod.Images = append(pod.Images, evidence.Image{Image: s.Image, Digest: digest})
		if s.State.Running == nil {
			continue
		}
		// The latest: a container that restarted started up then.
		if at := s.State.Running.StartedAt.Time; at.After(pod.Started) {
			pod.Started = at
		}
	}
	return []readiness.Pod{pod}
}

// jobOfCronJob is the name of a Job that a CronJob made: the CronJob's name and the
// minute for which it was made.
var jobOfCronJob = regexp.MustCompile(`^(.+)-[0-9]{8,10}$`)

// podWorkload returns the object that people know the Pod by. The names of what is
// between, such as a ReplicaSet's, follow from it.
func podWorkload(p *corev1.Pod) evidence.Workload {
	owner := metav1.GetControllerOf(p)
	if owner == nil {
		return evidence.Workload{Kind: "Pod", Namespace: p.Namespace, Name: p.Name}
	}
	w := evidence.Workload{Kind: owner.Kind, Namespace: p.Namespace, Name: owner.Name}
	switch hash := p.Labels["pod-template-hash"]; {
	case owner.Kind == "ReplicaSet" && hash != "" && strings.HasSuffix(owner.Name, "-"+hash):
		w.Kind, w.Name = "Deployment", strings.TrimSuffix(owner.Name, "-"+hash)
	case owner.Kind == "Job":
		if of := jobOfCronJob.FindStringSubmatch(owner.Name); of != nil {
			w.Kind, w.Name = "CronJob", of[1]
		}
	}
	return w
}

// gateLeases returns the Lease if it is a leader's: Nodes and API servers renew
// Leases too, of which nobody takes over another's.
func gateLeases(l *coordinationv1.Lease) []readiness.Lease {
	if l.Namespace == corev1.NamespaceNodeLease || l.Labels["apiserver.kubernetes.io/identity"] != "" || l.Spec.HolderIdentity == nil {
		return nil
	}
	lease := readiness.Lease{Namespace: l.Namespace, Name: l.Name, Holder: *l.Spec.HolderIdentity}
	if l.Spec.AcquireTime != nil {
		lease.Acquired = l.Spec.AcquireTime.Time
	}
	return []readiness.Lease{lease}
}

func gateCronJob(j *batchv1.CronJob) readiness.CronJob {
	job := readiness.CronJob{
		Namespace: j.Namespace, Name: j.Name, Schedule: j.Spec.Schedule, Suspended: j.Spec.Suspend != nil && *j.Spec.Suspend,
	}
	if j.Status.LastScheduleTime != nil {
		job.LastScheduled = j.Status.LastScheduleTime.Time
	}
	return job
}
