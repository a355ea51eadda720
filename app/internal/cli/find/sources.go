package find

import (
	"errors"
	"fmt"

	"k8s.io/client-go/rest"

	"github.com/slicewright/slicewright/app/internal/cli/command"
	"github.com/slicewright/slicewright/app/internal/find/apimetrics/scrape"
	"github.com/slicewright/slicewright/app/internal/find/chart"
	"github.com/slicewright/slicewright/app/internal/find/cluster"
	"github.com/slicewright/slicewright/app/internal/find/search"
)

// searched are the sources that the flags ask for, the audit log before the
// metrics that it explains.
func (f *findFlags) searched(streams command.Streams) ([]search.Source, error) {
	charts, err := f.charts()
	if err != nil {
		return nil, err
	}
	var out []search.Source
	for _, dir := range f.sources {
		out = append(out, search.Tree{Dir: dir, Scopes: search.Scopes{Tests: f.tests, Generated: f.generated, Vendor: f.vendor}, BuildTags: f.buildTags, Charts: charts})
	}
	objects, err := f.objects(streams, charts)
	if err != nil {
		return nil, err
	}
	out = append(out, objects...)
	if len(f.audits) > 0 {
		out = append(out, search.AuditLogs{Names: f.audits, Stdin: streams.In, Options: f.auditOptions()})
	}
	for _, name := range f.aggregate {
		out = append(out, search.Aggregate{Name: name, Stdin: streams.In, Options: f.auditOptions()})
	}
	if len(f.metrics) > 0 || f.server != "" {
		client, err := scrape.NewClient(f.tokenFile, f.caFile)
		if errors.Is(err, scrape.ErrNoCertificate) {
			return nil, command.UsageErrorf("%w", err)
		}
		if err != nil {
			return nil, err
		}
		out = append(out, search.Metrics{
			Pages: f.metrics, Before: f.before, Prometheus: f.server, Stdin: streams.In,
			Scraper: scrape.Scraper{Client: client, UserAgent: command.UserAgent("find")},
		})
	}
	return out, nil
}

// objects are the manifests and the cluster.
func (f *findFlags) objects(streams command.Streams, charts chart.Options) ([]search.Source, error) {
	var out []search.Source
	for _, name := range f.manifests {
		out = append(out, search.Manifests{Name: name, Stdin: streams.In, Namespace: f.kube.Namespace(), Charts: charts})
	}
	if f.cluster {
		client, config, err := clusterClient(f.kube)
		if err != nil {
			return nil, err
		}
		out = append(out, search.Cluster{Client: client, Host: config.Host, Options: clusterOptions(f.kube)})
	}
	return out, nil
}

// clusterClient is the client of --cluster, and the connection for errors.
func clusterClient(kube *command.ClusterFlags) (*cluster.Client, *rest.Config, error) {
	config, err := kube.RESTConfig()
	if err != nil {
		return nil, nil, fmt.Errorf("reading the kubeconfig for --cluster: %w", err)
	}
	client, err := cluster.NewClient(config, command.Build().Version)
	return client, config, err
}

func clusterOptions(kube *command.ClusterFlags) cluster.Options {
	opts := cluster.Options{}
	if ns := kube.Namespace(); ns != "" {
		opts.Namespaces = []string{ns}
	}
	return opts
}
