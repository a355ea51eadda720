package experiment

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"k8s.io/client-go/tools/clientcmd"

	"github.com/slicewright/slicewright/lab/fleet"
	"github.com/slicewright/slicewright/lab/haproxy"
	"github.com/slicewright/slicewright/lab/process"
)

// A side is a consumer with its load balancer and its way to the API server:
// there are two, the one that is put to the test and the Endpoints reader.
type side struct {
	name     string
	consumer Consumer
	place    place
	url      string
	way      *connection
	haproxy  *haproxy.HAProxy // nil for a load balancer that is not ours
	log      string
	// most is how many addresses its load balancer ever had to have.
	most int

	process  *process.Process // nil before the start
	balancer *process.Process // nil before the start, and if haproxy is not or it is not ours
}

// newSide prepares a side for a Service, without starting it.
func (e *experiment) newSide(ctx context.Context, c Consumer, user, dir, service string, port int) (*side, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the folder of %s: %w", c.Name, err)
	}
	s := &side{
		name: c.Name, consumer: c, url: c.URL, log: filepath.Join(dir, "consumer.log"),
		place: place{dir: dir, namespace: e.Namespace, service: service, kubeconfig: filepath.Join(dir, "kubeconfig")},
	}
	if user == readerUser {
		s.name = "the Endpoints reader"
	}
	files := c.Files
	if s.url == "" {
		s.url = fmt.Sprintf("http://127.0.0.1:%d/", port)
		s.haproxy = haproxy.New(haproxy.Config{Dir: dir, File: "haproxy.cfg", Socket: "admin.sock", Log: filepath.Join(dir, "haproxy.log")})
		config := strings.ReplaceAll(haproxyConfig, "${PORT}", fmt.Sprint(port))
		if err := s.place.write(map[string]string{"haproxy.cfg": config}); err != nil {
			return nil, err
		}
	}
	if err := s.place.write(files); err != nil {
		return nil, err
	}
	kubeconfig, err := e.Lab.Kubeconfig(ctx, user)
	if err != nil {
		return nil, err
	}
	s.way, err = throughConnection(kubeconfig, s.place.kubeconfig)
	return s, err
}

// throughConnection writes a kubeconfig whose API server is behind a connection
// that can be cut.
func throughConnection(kubeconfig []byte, path string) (*connection, error) {
	config, err := clientcmd.Load(kubeconfig)
	if err != nil {
		return nil, fmt.Errorf("read the consumer's kubeconfig: %w", err)
	}
	cluster := config.Clusters[config.Contexts[config.CurrentContext].Cluster]
	server, err := url.Parse(cluster.Server)
	if err != nil {
		return nil, fmt.Errorf("read the consumer's kubeconfig: %w", err)
	}
	way, err := newConnection(server.Host)
	if err != nil {
		return nil, err
	}
	// The API server's certificate is good for this address, too.
	cluster.Server = "https://" + way.address
	if err := clientcmd.WriteToFile(*config, path); err != nil {
		way.cut()
		return nil, fmt.Errorf("write the consumer's kubeconfig: %w", err)
	}
	return way, nil
}

// start starts the load balancer and the consumer.
func (s *side) start(ctx context.Context) error {
	if err := s.startBalancer(ctx); err != nil {
		return err
	}
	return s.startConsumer()
}

func (s *side) startConsumer() error {
	var err error
	s.process, err = s.run(s.consumer.Name, s.consumer.Command, filepath.Base(s.log))
	return err
}

// run starts a program of the side.
func (s *side) run(name string, command []string, log string) (*process.Process, error) {
	command = s.place.fillAll(command)
	return process.Start(process.Spec{
		Name: name, Path: command[0], Args: command[1:], Dir: s.place.dir, Log: filepath.Join(s.place.dir, log),
		Env: []string{"KUBECONFIG=" + s.place.kubeconfig, "NAMESPACE=" + s.place.namespace, "SERVICE=" + s.place.service},
	})
}

// kill ends the consumer as kill -9 does. The load balancer goes on.
func (s *side) kill() { s.process.Kill() }

// alive is an error if the consumer has ended by itself.
func (s *side) alive() error {
	if s.process.Running() {
		return nil
	}
	return short("%s ended by itself (%v); the end of its log is in %s", s.name, s.process.Err(), s.log)
}

// startBalancer starts the load balancer, unless it runs or is not ours to start,
// and returns when it takes connections.
func (s *side) startBalancer(ctx context.Context) error {
	if s.haproxy != nil {
		if s.haproxy.Running() {
			return nil
		}
		return s.haproxy.Start(ctx)
	}
	if len(s.consumer.Balancer) == 0 || s.balancer != nil && s.balancer.Running() {
		return nil
	}
	at, err := url.Parse(s.url)
	if err != nil {
		return fmt.Errorf("the URL of %s: %w", s.name, err)
	}
	if s.balancer, err = s.run("its load balancer", s.consumer.Balancer, "balancer.log"); err != nil {
		return err
	}
	return fleet.Eventually(ctx, func() error {
		conn, err := net.DialTimeout("tcp", at.Host, 5*time.Second)
		if err != nil {
			return fmt.Errorf("the load balancer of %s takes no connections; its log is %s: %w", s.name, s.balancer.Spec().Log, err)
		}
		return conn.Close()
	})
}

// restartable reports whether the load balancer is ours to restart.
func (s *side) restartable() bool { return s.haproxy != nil || len(s.consumer.Balancer) > 0 }

// restartBalancer restarts the load balancer, which loses what it was told.
func (s *side) restartBalancer(ctx context.Context) error {
	if s.haproxy != nil {
		s.haproxy.Stop()
	} else {
		s.balancer.Stop(10 * time.Second)
	}
	return s.startBalancer(ctx)
}

// servers are the addresses that our HAProxy sends new connections to.
func (s *side) servers(ctx context.Context) ([]netip.Addr, error) {
	servers, err := s.haproxy.Servers(ctx, "users")
	if err != nil {
		return nil, err
	}
	var all []netip.Addr
	for _, server := range servers {
		if server.Active() {
			all = append(all, server.Address.Addr())
		}
	}
	slices.SortFunc(all, netip.Addr.Compare)
	return slices.Compact(all), nil
}

func (s *side) close() {
	if s.process != nil {
		s.process.Stop(10 * time.Second)
	}
	if s.haproxy != nil {
		s.haproxy.Stop()
	}
	if s.balancer != nil {
		s.balancer.Stop(10 * time.Second)
	}
	s.way.cut()
}
