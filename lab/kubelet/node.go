package kubelet

import (
	"context"
	"encoding/json"
	"fmt"
	"net/netip"
	"time"

	"github.com/slicewright/slicewright/lab/address"
	coordinationv1 "k8s.io/api/coordination/v1"
	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/ptr"
)

// Node is a machine that the lab pretends to have.
type Node struct {
	Name    string
	Zone    string
	Address netip.Addr // its InternalIP
	// Pool is where its Pods' addresses come from when they do not say: at most
	// one range a family, the first being the family of status.podIP.
	Pool []address.Range
}

const (
	// heartbeat is how often a Node's Lease is renewed; a real kubelet's figure.
	heartbeat = 10 * time.Second
	// statusEvery is how many heartbeats go by between two writes of the Node's
	// status. The Lease alone keeps a Node ready; the status is for readers of
	// the condition's time.
	statusEvery = 6
	// podCapacity is far above a real kubelet's 110: a lab of four Nodes holds
	// a rollout of several hundred Pods.
	podCapacity = "1000"
)

// register creates the Node, or takes over the one that is there, ready for
// work at once: the scheduler and the endpointslice controller look at it
// before they have anything to do with its Pods.
func register(ctx context.Context, client kubernetes.Interface, node Node) error {
	object := &v1.Node{ObjectMeta: metav1.ObjectMeta{
		Name: node.Name,
		Labels: map[string]string{
			v1.LabelHostname:       node.Name,
			v1.LabelTopologyZone:   node.Zone,
			v1.LabelTopologyRegion: "lab",
			v1.LabelOSStable:       "linux",
			v1.LabelArchStable:     "amd64",
		},
	}}
	current, err := client.CoreV1().Nodes().Create(ctx, object, metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		current, err = client.CoreV1().Nodes().Get(ctx, node.Name, metav1.GetOptions{})
	}
	if err != nil {
		return fmt.Errorf("create Node %s: %w", node.Name, err)
	}
	patch, err := json.Marshal(map[string]any{"status": nodeStatus(node, metav1.Now(), readySince(current))})
	if err != nil {
		return fmt.Errorf("encode the status of Node %s: %w", node.Name, err)
	}
	// A patch, as the controllers write to the same object: an update would
	// meet their changes now and then, and be refused.
	if _, err := client.CoreV1().Nodes().Patch(ctx, node.Name, types.StrategicMergePatchType, patch, metav1.PatchOptions{}, "status"); err != nil {
		return fmt.Errorf("write the status of Node %s: %w", node.Name, err)
	}
	return renewLease(ctx, client, node)
}

func nodeStatus(node Node, now, since metav1.Time) v1.NodeStatus {
	resources := v1.ResourceList{
		v1.ResourceCPU:              resource.MustParse("1000"),
		v1.ResourceMemory:           resource.MustParse("1Ti"),
		v1.ResourceEphemeralStorage: resource.MustParse("1Ti"),
		v1.ResourcePods:             resource.MustParse(podCapacity),
	}
	condition := func(kind v1.NodeConditionType, status v1.ConditionStatus, reason string) v1.NodeCondition {
		return v1.NodeCondition{Type: kind, Status: status, Reason: reason, Message: "the lab says so", LastHeartbeatTime: now, LastTransitionTime: since}
	}
	return v1.NodeStatus{
		Capacity:    resources,
		Allocatable: resources,
		Addresses: []v1.NodeAddress{
			{Type: v1.NodeInternalIP, Address: node.Address.String()},
			{Type: v1.NodeHostName, Address: node.Name},
		},
		Conditions: []v1.NodeCondition{
			condition(v1.NodeReady, v1.ConditionTrue, "KubeletReady"),
			condition(v1.NodeMemoryPressure, v1.ConditionFalse, "KubeletHasSufficientMemory"),
			condition(v1.NodeDiskPressure, v1.ConditionFalse, "KubeletHasNoDiskPressure"),
			condition(v1.NodePIDPressure, v1.ConditionFalse, "KubeletHasSufficientPID"),
		},
		NodeInfo: v1.NodeSystemInfo{KubeletVersion: "v0.0.0-slicewright-lab", OperatingSystem: "linux", Architecture: "amd64"},
	}
}

// readySince is when the Node became ready, now if it was not.
func readySince(node *v1.Node) metav1.Time {
	for _, c := range node.Status.Conditions {
		if c.Type == v1.NodeReady && c.Status == v1.ConditionTrue {
			return c.LastTransitionTime
		}
	}
	return metav1.Now()
}

func renewLease(ctx context.Context, client kubernetes.Interface, node Node) error {
	leases := client.CoordinationV1().Leases(v1.NamespaceNodeLease)
	spec := coordinationv1.LeaseSpec{
		HolderIdentity:       ptr.To(node.Name),
		LeaseDurationSeconds: ptr.To(int32(4 * heartbeat / time.Second)),
		RenewTime:            ptr.To(metav1.NowMicro()),
	}
	lease, err := leases.Get(ctx, node.Name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		_, err = leases.Create(ctx, &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: node.Name}, Spec: spec}, metav1.CreateOptions{})
	} else if err == nil {
		lease.Spec = spec
		_, err = leases.Update(ctx, lease, metav1.UpdateOptions{})
	}
	if err != nil {
		return fmt.Errorf("renew the Lease of Node %s: %w", node.Name, err)
	}
	return nil
}

// keepReady renews the Node's Lease and status until ctx ends. A failure is no
// event: the API server may be away on purpose, and the next beat tries again.
func keepReady(ctx context.Context, client kubernetes.Interface, node Node) {
	ticker := time.NewTicker(heartbeat)
	defer ticker.Stop()
	for beat := 1; ; beat++ {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		within, cancel := context.WithTimeout(ctx, heartbeat/2)
		if beat%statusEvery == 0 {
			_ = register(within, client, node)
		} else {
			_ = renewLease(within, client, node)
		}
		cancel()
	}
}
