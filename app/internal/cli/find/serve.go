package find

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"github.com/slicewright/slicewright/app/internal/cli/command"
	"github.com/slicewright/slicewright/app/internal/find/audit"
	"github.com/slicewright/slicewright/app/internal/find/cluster"
	"github.com/slicewright/slicewright/app/internal/find/evidence"
	"github.com/slicewright/slicewright/app/internal/find/objects"
	"github.com/slicewright/slicewright/app/internal/find/serve"
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
		RunE: func(cmd *cobra.Command, _ []string) error { return runServe(cmd.Context(), streams, flags) },
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

func runServe(ctx context.Context, streams command.Streams, flags serveFlags) error {
	if err := flags.validate(); err != nil {
		return err
	}
	log, err := flags.log.Logger(streams.Err)
	if err != nil {
		return err
	}
	opts := serve.Options{
		State: flags.state, Audit: audit.Options{ExcludeUserAgents: flags.excludeAgents}, Follow: flags.follow,
		MetricsAddress: flags.metricsAddress, Registry: flags.registry, Interval: flags.interval, Log: log,
	}
	if flags.listen != "" {
		opts.Webhook = &serve.Webhook{
			Address: flags.listen, CertFile: flags.cert, KeyFile: flags.key, SelfSigned: flags.selfSigned,
			ClientCAFile: flags.clientCA, TokenFile: flags.tokenFile,
		}
	}
	if flags.cluster {
		client, _, err := clusterClient(flags.kube)
		if err != nil {
			return err
		}
		opts.ReadWorkloads = func(ctx context.Context) (*objects.Snapshot, evidence.Coverage, error) {
			return cluster.Read(ctx, client, clusterOptions(flags.kube))
		}
	}
	err = serve.Run(ctx, opts)
	if setting, ok := errors.AsType[serve.SettingError](err); ok {
		return command.UsageErrorf("%w", setting)
	}
	return err
}
