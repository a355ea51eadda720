// Package demo plays the Vector example: a Service of 240 backends whose
// addresses change under a load balancer, once followed through Endpoints and
// once through EndpointSlices.
package demo

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/slicewright/slicewright/lab/address"
	"github.com/slicewright/slicewright/lab/controlplane"
	"github.com/slicewright/slicewright/lab/fleet"
	"github.com/slicewright/slicewright/lab/haproxy"
	"github.com/slicewright/slicewright/lab/manifest"
	"github.com/slicewright/slicewright/lab/process"
)

// Config says what the demo plays with. It has to run in the lab's network.
type Config struct {
	// Cluster acts as an administrator of the lab.
	Cluster    *rest.Config
	Kubeconfig string
	// Restart restarts a component of the lab's control plane.
	Restart func(ctx context.Context, component string, flags ...string) error
	// Slicewright is the program.
	Slicewright string
	// Dir gets the demo's files; it must exist.
	Dir string
	// Out gets the story.
	Out io.Writer
}

const (
	namespace = "vector-lab"
	service   = "reports"
	frontend  = "http://127.0.0.1:8000/"

	backends = 240
	replaced = 24

	// Most Pods keep their addresses; those that move leave oldRange for newRange.
	keptRange = "10.42.0.1-10.42.0.216"
	oldRange  = "10.42.0.217-10.42.0.240"
	newRange  = "10.43.0.1-10.43.0.24"
)

// play is one run of the demo.
type play struct {
	Config
	fleet   *fleet.Fleet
	haproxy *haproxy.HAProxy
}

// Play plays the example and leaves everything running. It returns an error
// when what it shows is not so.
func Play(ctx context.Context, config Config) error {
	// Reading Endpoints is the point here; the deprecation warnings are known.
	config.Cluster.WarningHandler = rest.NoWarnings{}
	client, err := kubernetes.NewForConfig(config.Cluster)
	if err != nil {
		return fmt.Errorf("make a client: %w", err)
	}
	objects, err := manifest.NewClient(config.Cluster)
	if err != nil {
		return err
	}
	reports := &fleet.Fleet{Client: client, Objects: objects, Namespace: namespace, Service: service, Kept: keptRange}
	p := &play{Config: config, fleet: reports, haproxy: haproxy.New(haproxy.Config{
		Dir: config.Dir, File: "haproxy.cfg", Socket: "admin.sock", Log: filepath.Join(config.Dir, "haproxy.log"),
	})}
	for _, act := range []func(context.Context) error{p.createPods, p.startBalancer, p.replacePods, p.removeAll} {
		if err := act(ctx); err != nil {
			return err
		}
	}
	return nil
}

// createPods makes the Service and its 240 Pods.
func (p *play) createPods(ctx context.Context) error {
	p.title("A Service of %d Pods", backends)
	if err := p.fleet.CreateNamespace(ctx); err != nil {
		return err
	}
	if err := p.fleet.Scale(ctx, backends-replaced, replaced, oldRange); err != nil {
		return err
	}
	if err := p.fleet.AwaitPods(ctx, backends); err != nil {
		return err
	}
	// The Service comes last, so that the controller fills its slices in one go.
	if err := p.fleet.CreateService(ctx); err != nil {
		return err
	}
	if err := p.fleet.AwaitReady(ctx, keptRange, oldRange); err != nil {
		return err
	}
	v, err := p.fleet.Look(ctx)
	if err != nil {
		return err
	}
	p.say("%d EndpointSlices, of %s backends: a reader of the first one alone knows %d of %d.",
		len(v.Slices), joinSizes(v.Slices), len(v.Slices[0]), backends)
	p.sayTwo(v)
	return nil
}

// startBalancer starts HAProxy, without a server, and slicewright beside it.
func (p *play) startBalancer(ctx context.Context) error {
	p.title("A real HAProxy, followed by slicewright run")
	for name, content := range map[string]string{
		"haproxy.cfg":      haproxyConfig,
		"slicewright.yaml": strings.ReplaceAll(slicewrightConfig, "${DIR}", p.Dir),
	} {
		if err := os.WriteFile(filepath.Join(p.Dir, name), []byte(content), 0o644); err != nil {
			return fmt.Errorf("write the demo's files: %w", err)
		}
	}
	if err := p.haproxy.Start(ctx); err != nil {
		return err
	}
	_, err := process.Start(process.Spec{
		Name: "slicewright", Path: p.Slicewright, Args: []string{"run", "--config", "slicewright.yaml", "--kubeconfig", p.Kubeconfig},
		Dir: p.Dir, Log: filepath.Join(p.Dir, "slicewright.log"),
	})
	if err != nil {
		return err
	}
	return p.showBalancer(ctx)
}

// replacePods gives 24 Pods new addresses while nobody writes Endpoints any
// more, as in a cluster whose Endpoints controller is switched off.
func (p *play) replacePods(ctx context.Context) error {
	p.title("The Endpoints controller is off, and %d Pods get new addresses", replaced)
	if err := p.Restart(ctx, controlplane.ControllerManager, "--controllers=*,-endpoints-controller"); err != nil {
		return err
	}
	if err := p.fleet.Scale(ctx, backends-replaced, replaced, newRange); err != nil {
		return err
	}
	if err := p.fleet.AwaitReady(ctx, keptRange, newRange); err != nil {
		return err
	}
	if err := p.fleet.AwaitPods(ctx, backends); err != nil {
		return err
	}
	v, err := p.fleet.Look(ctx)
	if err != nil {
		return err
	}
	p.sayTwo(v)
	if err := p.sayReached(ctx, v); err != nil {
		return err
	}
	return p.showBalancer(ctx)
}

// removeAll takes every Pod away, and brings them back.
func (p *play) removeAll(ctx context.Context) error {
	p.title("The last Pod goes, and all come back")
	if err := p.fleet.Scale(ctx, 0, 0, newRange); err != nil {
		return err
	}
	if err := p.fleet.AwaitReady(ctx, address.None); err != nil {
		return err
	}
	if err := p.showBalancer(ctx); err != nil {
		return err
	}
	if err := p.fleet.Scale(ctx, backends-replaced, replaced, newRange); err != nil {
		return err
	}
	if err := p.fleet.AwaitReady(ctx, keptRange, newRange); err != nil {
		return err
	}
	return p.showBalancer(ctx)
}

func (p *play) title(format string, args ...any) {
	fmt.Fprintf(p.Out, "\n== "+format+"\n", args...)
}

func (p *play) say(format string, args ...any) {
	fmt.Fprintf(p.Out, "   "+format+"\n", args...)
}
