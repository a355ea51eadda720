// Command producer publishes the addresses of virtual machines, as they stand in
// a file, as the EndpointSlices of a Service. It is an example of package
// producer that can be used as it is.
//
// The file is JSON or CSV (see source.go). It is read again whenever it changes.
// A file that cannot be read or makes no sense changes nothing: what is
// published stays until the file is right again.
//
//	producer --file vms.csv --service shop/prices --port pg:5432 --managed-by vms.example.com
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/slicewright/slicewright/endpointset"
	"github.com/slicewright/slicewright/producer"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := start(ctx, os.Args[1:]); err != nil && !errors.Is(err, context.Canceled) {
		slog.Error("stopped", "error", err)
		os.Exit(1)
	}
}

func start(ctx context.Context, args []string) error {
	var (
		flags      = flag.NewFlagSet("producer", flag.ContinueOnError)
		file       = flags.String("file", "", "file with the addresses, .json or .csv")
		service    = flags.String("service", "", "Service whose backends they are, as namespace/name")
		managedBy  = flags.String("managed-by", "", "this producer's own name, on every slice")
		legacy     = flags.String("retire", "", "label=value that proves that the Service's Endpoints object is this producer's: it is marked as not to be mirrored once the slices are there")
		remove     = flags.Bool("retire-delete", false, "with --retire: remove the Endpoints object")
		once       = flags.Bool("once", false, "publish once and end")
		kubeconfig = flags.String("kubeconfig", "", "kubeconfig file; the default is KUBECONFIG, then the cluster that this runs in")
		ports      portList
	)
	flags.Var(&ports, "port", "port of every address, as name:number or name:number/protocol; can be given more than once")
	if err := flags.Parse(args); err != nil {
		return err
	}
	namespace, name, ok := strings.Cut(*service, "/")
	if !ok || *file == "" {
		return errors.New("--file and --service namespace/name are needed")
	}
	desired := producer.Desired{
		Service:   endpointset.ServiceKey{Namespace: namespace, Name: name},
		ManagedBy: *managedBy,
		Subsets:   []producer.Subset{{Ports: ports}},
	}
	if err := desired.Validate(); err != nil {
		return err
	}
	client, err := connect(*kubeconfig)
	if err != nil {
		return err
	}
	p := &publisher{
		file:    *file,
		desired: desired,
		writer:  writerTo(client),
		log:     slog.Default(),
	}
	if *legacy != "" {
		label, value, _ := strings.Cut(*legacy, "=")
		p.legacy = &producer.Legacy{Label: label, Value: value, Delete: *remove}
	}
	if *once {
		return p.publish(ctx)
	}
	return p.run(ctx)
}

func connect(kubeconfig string) (kubernetes.Interface, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = kubeconfig
	config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, nil).ClientConfig()
	if err != nil {
		return nil, fmt.Errorf("find the cluster: %w", err)
	}
	return kubernetes.NewForConfig(config)
}

// writerTo returns a writer that uses a client.
func writerTo(client kubernetes.Interface) *producer.Writer {
	return &producer.Writer{
		EndpointSlices: func(namespace string) producer.EndpointSlices { return client.DiscoveryV1().EndpointSlices(namespace) },
		Endpoints:      func(namespace string) producer.Endpoints { return client.CoreV1().Endpoints(namespace) }, //nolint:endpointsvet // a producer retires the Endpoints object that it wrote
	}
}

// portList is the flag --port.
type portList []endpointset.Port

func (l *portList) String() string { return "" }

func (l *portList) Set(text string) error {
	name, rest, ok := strings.Cut(text, ":")
	if !ok {
		name, rest = "", text
	}
	number, protocol, _ := strings.Cut(rest, "/")
	n, err := strconv.ParseUint(number, 10, 16)
	if err != nil {
		return fmt.Errorf("port %q: want name:number", text)
	}
	*l = append(*l, endpointset.Port{Name: name, Number: uint16(n), Protocol: protocol})
	return nil
}
