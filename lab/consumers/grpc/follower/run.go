package follower

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"google.golang.org/grpc"
	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/slicewright/slicewright/lab/consumers/grpc/incluster"
)

// Client is one library's way to be a gRPC client.
type Client struct {
	// Name is that of the program and of its ServiceAccount, Module the library's.
	Name, Module string
	// Verbs are what it has to be allowed to do to EndpointSlices.
	Verbs []string
	// Dial connects to a port of a Service and tells the recorder's states.
	Dial func(namespace, service, port string) (grpc.ClientConnInterface, *Recorder, error)
}

// Main is main: it reads the flags, goes into the cluster, dials and serves. It
// returns the exit code.
func (c Client) Main() int {
	kubeconfig := flag.String("kubeconfig", os.Getenv("KUBECONFIG"), "an administrator's, who makes the program's account")
	namespace := flag.String("namespace", "default", "of the Service, and of the account")
	service := flag.String("service", "", "the Service to follow")
	port := flag.String("port", "", "its port: name or number, as the library takes it; empty is the library's choice")
	listen := flag.String("listen", "127.0.0.1:8090", "where to answer /view and /ask")
	version := flag.Bool("version", false, "print the library's version")
	flag.Parse()
	if *version {
		fmt.Println(c.version())
		return 0
	}
	if *service == "" || flag.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "%s: --service is needed, and no arguments\n", c.Name)
		return 2
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := c.run(ctx, *kubeconfig, *namespace, *service, *port, *listen); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", c.Name, err)
		return 1
	}
	return 0
}

func (c Client) run(ctx context.Context, kubeconfig, namespace, service, port, listen string) error {
	account := incluster.Account{
		Kubeconfig: kubeconfig, Namespace: namespace, Name: c.Name,
		Rules: []rbacv1.PolicyRule{{APIGroups: []string{"discovery.k8s.io"}, Resources: []string{"endpointslices"}, Verbs: c.Verbs}},
	}
	if err := incluster.Enter(ctx, account); err != nil {
		return err
	}
	conn, recorder, err := c.Dial(namespace, service, port)
	if err != nil {
		return fmt.Errorf("dial: %w", err)
	}
	return (&Server{Recorder: recorder, Conn: conn}).Serve(ctx, listen)
}

// version is what the program was built with.
func (c Client) version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return c.Module + " of an unknown version"
	}
	text := c.Module + " of an unknown version"
	for _, m := range info.Deps {
		if m.Path == c.Module {
			text = m.Path + " " + m.Version
		}
	}
	for _, m := range info.Deps {
		if m.Path == "google.golang.org/grpc" {
			text += ", gRPC " + m.Version
		}
	}
	return text
}
