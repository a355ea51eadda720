// Package kubelet plays the kubelet: its Pods really listen, each on an
// address of its own, and say who they are. One process carries hundreds.
//
// For a Pod that is bound to one of its Nodes it takes an address, opens a
// listener, writes the Pod's status, follows its readiness and its deletion,
// and in the end deletes the Pod, as the real one does. What a Pod does beyond
// that is set by its annotations (see Behaviour).
//
// One goroutine per Pod owns everything about that Pod; a reflector hands it the
// Pod's newest state.
package kubelet

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"

	"github.com/slicewright/slicewright/lab/sandbox"
)

// Config says what a Kubelet works with.
type Config struct {
	Client    kubernetes.Interface
	Nodes     []Node
	Addresses *sandbox.Addresses
	Events    *EventLog
	Log       *slog.Logger
}

// Kubelet runs the Pods of its Nodes.
type Kubelet struct {
	config Config
	nodes  map[string]Node
	pool   *pool

	mu   sync.Mutex
	pods map[types.UID]*pod // running ones; guarded by mu
	wait sync.WaitGroup     // one for each pod and node goroutine
}

// New returns a Kubelet that does nothing yet.
func New(config Config) *Kubelet {
	k := &Kubelet{config: config, nodes: map[string]Node{}, pool: newPool(), pods: map[types.UID]*pod{}}
	for _, node := range config.Nodes {
		k.nodes[node.Name] = node
	}
	return k
}

// Register puts the Nodes' addresses on the network and creates the Nodes.
func (k *Kubelet) Register(ctx context.Context) error {
	for _, node := range k.config.Nodes {
		if err := k.config.Addresses.Add(node.Address); err != nil {
			return fmt.Errorf("give Node %s its address: %w", node.Name, err)
		}
		if err := register(ctx, k.config.Client, node); err != nil {
			return err
		}
	}
	return nil
}

// Run runs Pods until ctx ends; then every listener is closed and every
// address removed. The Pods' objects stay as they are.
func (k *Kubelet) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer k.wait.Wait()
	defer cancel()
	for _, node := range k.config.Nodes {
		k.wait.Go(func() { keepReady(ctx, k.config.Client, node) })
	}
	k.followPods(ctx)
	return nil
}

// Running counts the Pods that have a goroutine.
func (k *Kubelet) Running() int { return len(k.running()) }

func (k *Kubelet) running() []types.UID {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Collect(maps.Keys(k.pods))
}

// update hands a Pod's state to its goroutine, and starts one for a new Pod.
func (k *Kubelet) update(ctx context.Context, object *v1.Pod) {
	node, ours := k.nodes[object.Spec.NodeName]
	if !ours || object.Status.Phase == v1.PodSucceeded || object.Status.Phase == v1.PodFailed {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	p, known := k.pods[object.UID]
	if !known {
		if ctx.Err() != nil {
			return
		}
		life, vanish := context.WithCancel(ctx)
		p = newPod(k, node, object, vanish)
		k.pods[object.UID] = p
		k.wait.Go(func() {
			p.run(ctx, life)
			k.mu.Lock()
			defer k.mu.Unlock()
			delete(k.pods, p.uid)
		})
	}
	p.tell(object)
}

// forget ends the goroutine of a Pod that no longer exists: deleted by force,
// or by itself.
func (k *Kubelet) forget(uid types.UID) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if p, known := k.pods[uid]; known {
		p.vanish()
	}
}

// retryEvery is the pause between two tries of something that will work once
// the API server, an address or a port is there.
const retryEvery = 100 * time.Millisecond
