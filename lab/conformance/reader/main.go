// Reader is two consumers that are wrong by design, for the conformance table:
// one follows the deprecated Endpoints, as programs did before EndpointSlices;
// the other follows EndpointSlices, but only the first one, as if a Service had
// no more. It is the control: a table that does not show its mistakes shows
// nothing.
//
// Each hands on every TCP connection to the next of its addresses, and tells at
// /view which those are.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// what a reader follows.
type followed struct {
	client                   kubernetes.Interface
	namespace, service, port string
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "reader:", err)
		os.Exit(1)
	}
}

func run() error {
	var f followed
	reads := flag.String("reads", "", "endpoints or first-slice")
	flag.StringVar(&f.namespace, "namespace", "", "the Service's namespace")
	flag.StringVar(&f.service, "service", "", "the Service")
	flag.StringVar(&f.port, "port", "", "the name of the port")
	kubeconfig := flag.String("kubeconfig", "", "how to reach the API server")
	listen := flag.String("listen", "", "where clients connect")
	view := flag.String("view", "", "where to tell the addresses")
	flag.Parse()

	config, err := clientcmd.BuildConfigFromFlags("", *kubeconfig)
	if err != nil {
		return fmt.Errorf("read the kubeconfig: %w", err)
	}
	// That Endpoints are deprecated is why this reader exists.
	config.WarningHandler = rest.NoWarnings{}
	if f.client, err = kubernetes.NewForConfig(config); err != nil {
		return fmt.Errorf("make a client: %w", err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var b balancer
	switch *reads {
	case "endpoints":
		err = f.endpoints(ctx, b.set)
	case "first-slice":
		err = f.firstSlice(ctx, b.set)
	default:
		err = fmt.Errorf("-reads %q: endpoints or first-slice", *reads)
	}
	if err != nil {
		return err
	}
	return b.serve(ctx, *listen, *view)
}

// balancer hands connections on in turn. Its zero value has no addresses.
type balancer struct {
	addresses atomic.Pointer[[]string]
	turn      atomic.Uint64
}

func (b *balancer) set(addresses []string) { b.addresses.Store(&addresses) }

func (b *balancer) all() []string {
	if p := b.addresses.Load(); p != nil {
		return *p
	}
	return nil
}

func (b *balancer) serve(ctx context.Context, listen, view string) error {
	clients, err := net.Listen("tcp", listen)
	if err != nil {
		return fmt.Errorf("listen for clients: %w", err)
	}
	server := &http.Server{Addr: view, Handler: http.HandlerFunc(b.tell), ReadHeaderTimeout: time.Minute}
	served := make(chan error, 1)
	go func() { served <- server.ListenAndServe() }()
	var wait sync.WaitGroup
	wait.Go(func() {
		for {
			client, err := clients.Accept()
			if err != nil {
				return // closed
			}
			wait.Go(func() { b.handOn(client) })
		}
	})
	select {
	case <-ctx.Done():
	case err = <-served:
		err = fmt.Errorf("tell the view: %w", err)
	}
	clients.Close()
	server.Close()
	return err
}

func (b *balancer) tell(w http.ResponseWriter, _ *http.Request) {
	all := b.all()
	if all == nil {
		all = []string{}
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(all)
}

// handOn connects a client with a backend until either ends.
func (b *balancer) handOn(client net.Conn) {
	defer client.Close()
	all := b.all()
	if len(all) == 0 {
		return
	}
	backend, err := net.DialTimeout("tcp", all[b.turn.Add(1)%uint64(len(all))], 5*time.Second)
	if err != nil {
		return
	}
	defer backend.Close()
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = io.Copy(backend, client)
		_ = backend.(*net.TCPConn).CloseWrite()
	}()
	_, _ = io.Copy(client, backend)
	client.Close()
	<-done
}
