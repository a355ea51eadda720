// Package lab is a real Kubernetes on one machine: the control plane's own
// programs, and Pods that really listen, in a network that nothing else sees.
//
// Start has to be called inside a sandbox (package sandbox). What a lab offers:
//
//	ControlPlane   kill, restart with other flags, compact; clients for users
//	Kubelet        Nodes in two zones, whose Pods behave by their annotations
//	Standalone     listeners without Pods, for slices written by hand
//	Events         what Pods did and when
package lab

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"os"
	"path/filepath"
	"time"

	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/slicewright/slicewright/lab/address"
	"github.com/slicewright/slicewright/lab/controlplane"
	"github.com/slicewright/slicewright/lab/kubelet"
	"github.com/slicewright/slicewright/lab/sandbox"
)

// Options say how to start a lab.
type Options struct {
	// Dir keeps everything of the lab. It must exist and be empty.
	Dir string
	// Programs are the control plane's programs.
	Programs controlplane.Programs
	// Nodes are the machines to pretend; nil is Nodes().
	Nodes []kubelet.Node
	// Log gets what the lab itself has to say; nil is nothing.
	Log *slog.Logger
}

// Lab is a running lab.
type Lab struct {
	Dir          string
	ControlPlane *controlplane.ControlPlane
	Kubelet      *kubelet.Kubelet
	Standalone   *kubelet.Standalone
	Events       *kubelet.EventLog
	Addresses    *sandbox.Addresses
	// Config and Client act as an administrator.
	Config *rest.Config
	Client kubernetes.Interface

	eventFile *os.File
	stop      context.CancelFunc
	done      chan error // the kubelet's end; read once, by Close
}

// Nodes are a lab's usual machines: two zones with two each. Pods that do not
// ask for an address get one of both families.
func Nodes() []kubelet.Node {
	var nodes []kubelet.Node
	for i, name := range []string{"lab-a-1", "lab-a-2", "lab-b-1", "lab-b-2"} {
		nodes = append(nodes, kubelet.Node{
			Name:    name,
			Zone:    name[:len("lab-a")],
			Address: netip.AddrFrom4([4]byte{10, 40, 0, byte(11 + i)}),
			Pool: []address.Range{
				mustRange(fmt.Sprintf("10.44.%d.0/24", i+1)),
				mustRange(fmt.Sprintf("fd44:%d::/64", i+1)),
			},
		})
	}
	return nodes
}

func mustRange(text string) address.Range {
	ranges, err := address.ParseRanges(text)
	if err != nil {
		panic(err)
	}
	return ranges[0]
}

// controlPlaneAddress is what the API server announces itself as.
var controlPlaneAddress = netip.MustParseAddr("10.40.0.1")

// Start brings a lab up and returns when it takes Pods: the API server and the
// controllers answer, every Node is ready, and namespace default has its
// ServiceAccount. When it fails, nothing is left running.
func Start(ctx context.Context, options Options) (_ *Lab, err error) {
	if options.Nodes == nil {
		options.Nodes = Nodes()
	}
	if options.Log == nil {
		options.Log = slog.New(slog.DiscardHandler)
	}
	l := &Lab{Dir: options.Dir, Addresses: &sandbox.Addresses{}}
	defer func() {
		if err != nil {
			err = errors.Join(err, l.Close())
		}
	}()
	if err := l.prepareNetwork(); err != nil {
		return nil, err
	}
	l.eventFile, err = os.OpenFile(filepath.Join(options.Dir, "events.jsonl"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return nil, fmt.Errorf("open the event log: %w", err)
	}
	l.Events = kubelet.NewEventLog(l.eventFile)
	l.Standalone = kubelet.NewStandalone(l.Addresses, l.Events)

	l.ControlPlane, err = controlplane.Start(ctx, controlplane.Config{
		Dir: options.Dir, Programs: options.Programs, Address: controlPlaneAddress, ProxyNode: options.Nodes[0].Name,
	})
	if err != nil {
		return nil, err
	}
	l.Config, err = l.ControlPlane.Client("admin", "system:masters")
	if err != nil {
		return nil, err
	}
	l.Client, err = kubernetes.NewForConfig(l.Config)
	if err != nil {
		return nil, fmt.Errorf("make a client: %w", err)
	}
	l.Kubelet = kubelet.New(kubelet.Config{
		Client: l.Client, Nodes: options.Nodes, Addresses: l.Addresses, Events: l.Events, Log: options.Log,
	})
	if err := l.Kubelet.Register(ctx); err != nil {
		return nil, err
	}
	l.runKubelet()
	if err := l.waitForServiceAccount(ctx, metav1.NamespaceDefault); err != nil {
		return nil, err
	}
	return l, nil
}

// Close ends everything. It may be called on a lab that did not come up.
func (l *Lab) Close() error {
	var errs []error
	if l.stop != nil {
		l.stop()
		errs = append(errs, <-l.done)
		l.stop = nil
	}
	if l.Standalone != nil {
		errs = append(errs, l.Standalone.Close())
	}
	if l.ControlPlane != nil {
		l.ControlPlane.Stop()
	}
	if l.eventFile != nil {
		errs = append(errs, l.eventFile.Close())
		l.eventFile = nil
	}
	return errors.Join(errs...)
}

// EnsureNamespace creates a namespace if it is not there, and returns when it
// takes Pods.
func (l *Lab) EnsureNamespace(ctx context.Context, name string) error {
	_, err := l.Client.CoreV1().Namespaces().Create(ctx, &v1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("create namespace %s: %w", name, err)
	}
	return l.waitForServiceAccount(ctx, name)
}

func (l *Lab) prepareNetwork() error {
	if err := l.Addresses.Add(controlPlaneAddress); err != nil {
		return fmt.Errorf("prepare the network (is this a sandbox?): %w", err)
	}
	// Connections to a ClusterIP need a way out before kube-proxy's rules can
	// send them elsewhere.
	return sandbox.Route(controlplane.ServiceCIDRs[0], controlPlaneAddress)
}

func (l *Lab) runKubelet() {
	ctx, stop := context.WithCancel(context.Background())
	l.stop, l.done = stop, make(chan error, 1)
	go func() { l.done <- l.Kubelet.Run(ctx) }()
}

// waitForServiceAccount waits for the ServiceAccount "default", without which
// Pods are refused. That it comes also shows that the controllers run.
func (l *Lab) waitForServiceAccount(ctx context.Context, namespace string) error {
	err := wait.PollUntilContextCancel(ctx, 50*time.Millisecond, true, func(ctx context.Context) (bool, error) {
		_, err := l.Client.CoreV1().ServiceAccounts(namespace).Get(ctx, "default", metav1.GetOptions{})
		return err == nil, nil
	})
	if err != nil {
		return fmt.Errorf("wait for ServiceAccount %s/default, which kube-controller-manager makes: %w", namespace, err)
	}
	return nil
}
