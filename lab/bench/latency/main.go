// Command latency measures how long a change takes from the API server to the
// load balancer: an EndpointSlice is written, and HAProxy's "show servers
// state" shows the new address admitting traffic. Run it inside a lab:
//
//	slicewright-lab up
//	slicewright-lab exec -- go run ./bench/latency -slicewright ../bin/slicewright
//
// One change follows the other: each replaces one address of a Service with
// 240. Nothing is asked of the machine meanwhile, so the figure is that of an
// idle one, polling included.
package main

import (
	"context"
	"flag"
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/slicewright/slicewright/lab/haproxy"
)

const (
	service  = "reports"
	backends = 240
)

func main() {
	slicewright := flag.String("slicewright", "slicewright", "the program to measure")
	changes := flag.Int("changes", 200, "how many changes, one after another")
	flag.Parse()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	if err := measure(ctx, *slicewright, *changes); err != nil {
		fmt.Fprintln(os.Stderr, "latency:", err)
		os.Exit(1)
	}
}

func measure(ctx context.Context, program string, changes int) error {
	dir, err := os.MkdirTemp("", "latency-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	client, err := connect()
	if err != nil {
		return err
	}
	es, err := prepare(ctx, client)
	if err != nil {
		return err
	}
	for name, content := range files {
		content = strings.ReplaceAll(content, "NAMESPACE", es.Namespace)
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			return err
		}
	}

	balancer := haproxy.New(haproxy.Config{Dir: dir, File: "haproxy.cfg", Socket: "admin.sock", Log: filepath.Join(dir, "haproxy.log")})
	if err := balancer.Start(ctx); err != nil {
		return err
	}
	defer balancer.Stop()
	run := exec.CommandContext(ctx, program, "run", "--config", filepath.Join(dir, "slicewright.yaml"), "--metrics-address", "")
	run.Stderr = os.Stderr
	if err := run.Start(); err != nil {
		return err
	}
	defer func() {
		_ = run.Process.Kill()
		_ = run.Wait()
	}()
	if _, err := untilActive(ctx, balancer, address(backends)); err != nil {
		return err
	}

	var took []time.Duration
	for i := range changes {
		// Out with one, in with a new one: the Service keeps its size.
		next := address(backends + 1 + i)
		es.Endpoints[i%backends].Addresses = []string{next.String()}
		if es, err = client.DiscoveryV1().EndpointSlices(es.Namespace).Update(ctx, es, metav1.UpdateOptions{}); err != nil {
			return err
		}
		written := time.Now()
		seen, err := untilActive(ctx, balancer, next)
		if err != nil {
			return err
		}
		took = append(took, seen.Sub(written))
	}
	slices.Sort(took)
	fmt.Printf("%d changes: p50 %s, p99 %s, max %s\n", changes,
		took[len(took)/2].Round(100*time.Microsecond), took[len(took)*99/100].Round(100*time.Microsecond), took[len(took)-1].Round(100*time.Microsecond))
	return nil
}

// address returns the nth address of a network of documentation.
func address(n int) netip.Addr {
	return netip.AddrFrom4([4]byte{10, 42, byte(n >> 8), byte(n)})
}

func connect() (kubernetes.Interface, error) {
	config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(clientcmd.NewDefaultClientConfigLoadingRules(), nil).ClientConfig()
	if err != nil {
		return nil, fmt.Errorf("%w: run this inside a lab, with 'slicewright-lab exec --'", err)
	}
	return kubernetes.NewForConfig(config)
}

// prepare makes the Service's slice, of 240 addresses, in a namespace of its own.
func prepare(ctx context.Context, client kubernetes.Interface) (*discoveryv1.EndpointSlice, error) {
	ns, err := client.CoreV1().Namespaces().Create(ctx, &v1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "latency-"}}, metav1.CreateOptions{})
	if err != nil {
		return nil, err
	}
	es := &discoveryv1.EndpointSlice{
		ObjectMeta: metav1.ObjectMeta{Name: service + "-a", Labels: map[string]string{
			discoveryv1.LabelServiceName: service, discoveryv1.LabelManagedBy: "latency.slicewright.dev",
		}},
		AddressType: discoveryv1.AddressTypeIPv4,
		Ports:       []discoveryv1.EndpointPort{{Name: new("http"), Port: new(int32(8080))}},
	}
	for n := 1; n <= backends; n++ {
		es.Endpoints = append(es.Endpoints, discoveryv1.Endpoint{Addresses: []string{address(n).String()}})
	}
	return client.DiscoveryV1().EndpointSlices(ns.Name).Create(ctx, es, metav1.CreateOptions{})
}

// untilActive asks HAProxy each millisecond until it admits traffic to the
// address.
func untilActive(ctx context.Context, balancer *haproxy.HAProxy, want netip.Addr) (time.Time, error) {
	for {
		servers, err := balancer.Servers(ctx, service)
		if err != nil {
			return time.Time{}, err
		}
		for _, s := range servers {
			if s.Active() && s.Address.Addr() == want {
				return time.Now(), nil
			}
		}
		if err := ctx.Err(); err != nil {
			return time.Time{}, fmt.Errorf("wait for %s in HAProxy: %w", want, err)
		}
		time.Sleep(time.Millisecond)
	}
}

var files = map[string]string{
	"haproxy.cfg": `global
  stats socket unix@admin.sock level admin
defaults
  mode http
  timeout connect 1s
  timeout client 10s
  timeout server 10s
frontend reports
  bind 127.0.0.1:8009
  default_backend reports
backend reports
  balance roundrobin
`,
	"slicewright.yaml": `apiVersion: slicewright.dev/v1alpha1
kind: Config
namespaces: [NAMESPACE]
upstreams:
- name: reports
  service: NAMESPACE/reports
  port: http
  to:
  - haproxy: {socket: admin.sock, backend: reports}
`,
}
