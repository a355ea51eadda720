package find

import (
	"context"
	"crypto/subtle"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"github.com/slicewright/slicewright/app/internal/cli/command"
	"github.com/slicewright/slicewright/app/internal/find/audit"
	"github.com/slicewright/slicewright/app/internal/find/audit/live"
	"github.com/slicewright/slicewright/app/internal/find/cluster"
	"github.com/slicewright/slicewright/app/internal/find/evidence"
	"github.com/slicewright/slicewright/app/internal/find/objects"
	"github.com/slicewright/slicewright/app/internal/find/registry"
	"github.com/slicewright/slicewright/app/internal/find/registry/registryfile"
)

// serveFlags are the flags of find serve.
type serveFlags struct {
	listen, metricsAddress string
	cert, key, clientCA    string
	selfSigned             bool
	tokenFile              string
	follow                 string
	state                  string
	registry               string
	interval               time.Duration
	excludeAgents          []string
	cluster                bool
	kube                   *command.ClusterFlags
	log                    command.LogFlags
}

func newServeCommand(streams command.Streams) *cobra.Command {
	flags := serveFlags{kube: command.NewClusterFlags().WithoutName()}
	cmd := &cobra.Command{
		Use:   "serve --state DIR [--listen ADDRESS] [--follow FILE]",
		Short: "Keep the registry current from audit events: webhook backend and log follower",
		Long: `Keep the registry current from audit events as they happen.

--listen is the backend of an API server's audit webhook, over TLS. A batch is
answered with 200 after its events are on disk. Give the API server a kubeconfig
with --audit-webhook-config-file; with --self-signed, DIR/audit-webhook.kubeconfig
is that file, ready to use.

--follow reads a log file that grows, and goes on behind a rotation.

The metrics address has /metrics (slicewright_endpoints_requests_total by
ServiceAccount, verb and code class), /registry.json, /healthz and /readyz.`,
		Example: `  slicewright find serve --state /var/lib/slicewright --listen 10.0.0.5:8443 --self-signed --registry registry.yaml
  slicewright find serve --state state --follow /var/log/kubernetes/audit.log --metrics-address :9090`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return serve(cmd.Context(), streams, flags) },
	}
	f := cmd.Flags()
	f.StringVar(&flags.state, "state", "", "directory for the journal and the state; one process each (required)")
	f.StringVar(&flags.listen, "listen", "", "address of the audit webhook backend, such as 127.0.0.1:8443")
	f.StringVar(&flags.cert, "tls-cert", "", "certificate of the webhook backend, PEM")
	f.StringVar(&flags.key, "tls-key", "", "its key, PEM")
	f.BoolVar(&flags.selfSigned, "self-signed", false, "make a certificate and a webhook kubeconfig in the state directory")
	f.StringVar(&flags.clientCA, "client-ca", "", "take batches only from clients with a certificate of these authorities")
	f.StringVar(&flags.tokenFile, "token-file", "", "take batches only with this bearer token")
	f.StringVar(&flags.follow, "follow", "", "audit log to follow")
	f.StringVar(&flags.metricsAddress, "metrics-address", "", "address of /metrics, /registry.json, /healthz and /readyz; none without it")
	f.StringVar(&flags.registry, "registry", "", "registry.yaml to keep current; what people and other sources wrote is kept")
	f.DurationVar(&flags.interval, "interval", 10*time.Second, "how often the registry and the state are written")
	f.StringArrayVar(&flags.excludeAgents, "exclude-user-agent", nil, "leave out requests with this user agent, and count them")
	f.BoolVar(&flags.cluster, "cluster", false, "read the cluster's workloads, at the start and then every ten minutes, to name those that requests come from")
	flags.kube.AddTo(f)
	flags.log.AddTo(f)
	return cmd
}

func (f *serveFlags) validate() error {
	switch {
	case f.state == "":
		return command.UsageErrorf("--state is required: acknowledged events are kept there")
	case f.listen == "" && f.follow == "":
		return command.UsageErrorf("give at least one of --listen and --follow")
	case f.listen != "" && !f.selfSigned && (f.cert == "" || f.key == ""):
		return command.UsageErrorf("--listen needs --tls-cert and --tls-key, or --self-signed")
	case f.selfSigned && (f.cert != "" || f.key != ""):
		return command.UsageErrorf("--self-signed makes its own certificate: leave --tls-cert and --tls-key out")
	case f.interval < 100*time.Millisecond:
		return command.UsageErrorf("--interval %s is too short: use at least 100ms", f.interval)
	}
	return nil
}

func serve(ctx context.Context, streams command.Streams, flags serveFlags) (err error) {
	if err := flags.validate(); err != nil {
		return err
	}
	log, err := flags.log.Logger(streams.Err)
	if err != nil {
		return err
	}
	reg := prometheus.NewRegistry()
	reg.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	metrics := live.NewMetrics(reg)
	recorder, err := live.Open(flags.state, audit.Options{ExcludeUserAgents: flags.excludeAgents}, metrics)
	if err != nil {
		return err
	}
	metrics.WatchOpen(reg, recorder)
	keeper := &registryKeeper{path: flags.registry, recorder: recorder, running: newRunning()}
	var client *cluster.Client
	if flags.cluster {
		if client, _, err = clusterClient(flags.kube); err != nil {
			return errors.Join(err, recorder.Close())
		}
	}
	defer func() { err = errors.Join(err, keeper.write(), recorder.Close()) }()

	group, ctx := errgroup.WithContext(ctx)
	if flags.listen != "" {
		if err := serveWebhook(ctx, group, log, recorder, flags); err != nil {
			return err
		}
	}
	if flags.metricsAddress != "" {
		if err := serveMetrics(ctx, group, log, reg, keeper, flags.metricsAddress); err != nil {
			return err
		}
	}
	if flags.follow != "" {
		follower := live.Follower{Path: flags.follow, Recorder: recorder, Log: log}
		group.Go(func() error { return follower.Run(ctx) })
		log.Info("following the audit log", "path", flags.follow)
	}
	if flags.cluster {
		group.Go(func() error {
			return keeper.running.follow(ctx, log, func(ctx context.Context) (*objects.Snapshot, evidence.Coverage, error) {
				return cluster.Read(ctx, client, clusterOptions(flags.kube))
			})
		})
	}
	group.Go(func() error {
		tick := time.NewTicker(flags.interval)
		defer tick.Stop()
		written := uint64(0)
		for {
			select {
			case <-ctx.Done():
				return nil
			case <-tick.C:
			}
			// A disk that is full now may not be in a minute: batches are refused
			// meanwhile, and nothing is lost by going on.
			if now := recorder.Changed(); now != written {
				if err := errors.Join(keeper.write(), recorder.Checkpoint()); err != nil {
					log.Error("could not write", "error", err)
					continue
				}
				written = now
			}
		}
	})
	return group.Wait()
}

// serveWebhook starts the TLS server that an API server sends to.
func serveWebhook(ctx context.Context, group *errgroup.Group, log *slog.Logger, recorder *live.Recorder, flags serveFlags) error {
	listener, err := net.Listen("tcp", flags.listen)
	if err != nil {
		return fmt.Errorf("listening for the audit webhook: %w", err)
	}
	config, err := webhookTLS(flags, listener.Addr().String())
	if err != nil {
		listener.Close()
		return err
	}
	handler := live.Webhook(recorder, log)
	if flags.tokenFile != "" {
		token, err := os.ReadFile(flags.tokenFile)
		if err != nil {
			listener.Close()
			return fmt.Errorf("reading --token-file: %w", err)
		}
		if handler, err = requireToken(strings.TrimSpace(string(token)), handler); err != nil {
			listener.Close()
			return err
		}
	}
	server := &http.Server{Handler: handler, ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelWarn)}
	live.Timeouts(server)
	log.Info("audit webhook backend", "address", listener.Addr().String())
	runServer(ctx, group, server, tls.NewListener(listener, config))
	return nil
}

// runServer serves until ctx ends, then lets requests finish: a batch that was read is
// also answered.
func runServer(ctx context.Context, group *errgroup.Group, server *http.Server, listener net.Listener) {
	group.Go(func() error {
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			return fmt.Errorf("serving on %s: %w", listener.Addr(), err)
		}
		return nil
	})
	group.Go(func() error {
		<-ctx.Done()
		end, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := server.Shutdown(end); err != nil {
			server.Close()
		}
		return nil
	})
}

func webhookTLS(flags serveFlags, address string) (*tls.Config, error) {
	cert, key := flags.cert, flags.key
	if flags.selfSigned {
		var err error
		if cert, key, err = live.SelfSigned(flags.state, address, time.Now()); err != nil {
			return nil, err
		}
	}
	pair, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		return nil, fmt.Errorf("reading the certificate of the webhook backend: %w", err)
	}
	config := &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1"}}
	if flags.clientCA != "" {
		pem, err := os.ReadFile(flags.clientCA)
		if err != nil {
			return nil, fmt.Errorf("reading --client-ca: %w", err)
		}
		config.ClientCAs = x509.NewCertPool()
		if !config.ClientCAs.AppendCertsFromPEM(pem) {
			return nil, command.UsageErrorf("--client-ca %s holds no certificate in PEM", flags.clientCA)
		}
		config.ClientAuth = tls.RequireAndVerifyClientCert
	}
	return config, nil
}

func requireToken(token string, next http.Handler) (http.Handler, error) {
	if token == "" {
		return nil, command.UsageErrorf("--token-file is empty")
	}
	want := []byte("Bearer " + token)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if subtle.ConstantTimeCompare([]byte(r.Header.Get("Authorization")), want) != 1 {
			http.Error(w, "a bearer token is required", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r)
	}), nil
}

func serveMetrics(ctx context.Context, group *errgroup.Group, log *slog.Logger, reg *prometheus.Registry, keeper *registryKeeper, address string) error {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return fmt.Errorf("listening for metrics: %w", err)
	}
	mux := http.NewServeMux()
	mux.Handle("/metrics", promhttp.HandlerFor(reg, promhttp.HandlerOpts{}))
	ok := func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") }
	mux.HandleFunc("/healthz", ok)
	mux.HandleFunc("/readyz", ok)
	mux.HandleFunc("GET /registry.json", func(w http.ResponseWriter, _ *http.Request) {
		registry, err := keeper.registry()
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(registry)
	})
	server := &http.Server{Handler: mux, ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelWarn)}
	live.Timeouts(server)
	log.Info("metrics", "address", listener.Addr().String())
	runServer(ctx, group, server, listener)
	return nil
}

// registryKeeper writes what the recorder knows into the registry file.
type registryKeeper struct {
	path     string // "" is none
	recorder *live.Recorder
	running  *running
}

// registry joins the live findings with what the file has. The file is read each
// time: people write into it while this runs.
func (k *registryKeeper) registry() (*registry.Registry, error) {
	result := k.recorder.Result()
	k.running.name(result.Findings)
	now := registry.Build(result.Findings, []evidence.Coverage{result.Coverage})
	if k.path == "" {
		return now, nil
	}
	kept, err := registryfile.LoadIfExists(k.path)
	if err != nil || kept == nil {
		return now, err
	}
	registry.Refresh(kept, now, evidence.SourceAudit)
	return kept, nil
}

func (k *registryKeeper) write() error {
	if k.path == "" {
		return nil
	}
	r, err := k.registry()
	if err != nil {
		return err
	}
	return registryfile.Save(k.path, r)
}
