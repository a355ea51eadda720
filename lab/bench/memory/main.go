// Command memory measures what a whole process keeps resident that follows a
// large cluster: `slicewright run`, and beside it a shared informer that holds
// the same EndpointSlices as they come.
//
// It talks to the API server that KUBECONFIG names, which is the lab's:
//
//	slicewright-lab up
//	slicewright-lab exec -- memory -slicewright bin/slicewright
//
// The first run creates the slices, which takes a minute or two; later ones
// find them there.
package main

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
)

func main() {
	services := flag.Int("services", 10_000, "Services in the cluster")
	endpoints := flag.Int("endpoints", 15, "endpoints of each Service")
	slicewright := flag.String("slicewright", "slicewright", "the binary to measure")
	settle := flag.Duration("settle", 30*time.Second, "how long after the first sync the second look is taken")
	informer := flag.Bool("informer", false, "be the plain informer, until killed (the command starts itself so)")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	run := func() error {
		if *informer {
			return beInformer(ctx)
		}
		client, err := connect()
		if err != nil {
			return err
		}
		if err := load(ctx, client, *services, *endpoints); err != nil {
			return err
		}
		return measure(ctx, *slicewright, *services, *services**endpoints, *settle)
	}
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "Error:", err)
		os.Exit(1)
	}
}

func connect() (kubernetes.Interface, error) {
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		return nil, fmt.Errorf("connect (run this by `slicewright-lab exec`): %w", err)
	}
	// What protobuf saves is no merit of ours: both sides get it.
	config.ContentType = runtime.ContentTypeProtobuf
	config.QPS, config.Burst = -1, 0 // the server's own limits are enough
	return kubernetes.NewForConfig(rest.CopyConfig(config))
}

// measure starts the two processes one after the other.
func measure(ctx context.Context, slicewright string, services, endpoints int, settle time.Duration) error {
	config, err := writeConfig()
	if err != nil {
		return err
	}
	defer os.RemoveAll(config.dir)
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find the own binary: %w", err)
	}
	fmt.Printf("%-24s %10s %10s %10s %10s %8s\n", "process", "synced", "settled", "peak", "of files", "sync")
	for _, p := range []process{
		{
			name:    "slicewright run",
			command: exec.CommandContext(ctx, slicewright, "run", "--config", config.file, "--metrics-address", config.address, "--log-format", "json"),
			synced:  config.synced,
		},
		{
			name:    "plain shared informer",
			command: exec.CommandContext(ctx, self, "-informer"),
		},
	} {
		p.log = filepath.Join(config.dir, "log")
		p.atLeast = services
		if err := p.measure(ctx, settle); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	fmt.Printf("VmRSS, VmHWM and RssFile of /proc/PID/status, for %d endpoints\n", endpoints)
	return nil
}

// beInformer holds all EndpointSlices in a shared informer with nothing set
// that is not set by default, says so, and waits.
func beInformer(ctx context.Context) error {
	client, err := connect()
	if err != nil {
		return err
	}
	factory := informers.NewSharedInformerFactory(client, 0)
	slices := factory.Discovery().V1().EndpointSlices().Informer()
	factory.Start(ctx.Done())
	if !cache.WaitForCacheSync(ctx.Done(), slices.HasSynced) {
		return ctx.Err()
	}
	slog.New(slog.NewJSONHandler(os.Stderr, nil)).Info("synced", "slices", len(slices.GetStore().ListKeys()))
	<-ctx.Done()
	return nil
}
