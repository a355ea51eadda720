package find

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/term"
	"k8s.io/client-go/rest"

	"github.com/slicewright/slicewright/app/internal/cli/command"
	"github.com/slicewright/slicewright/app/internal/find/apimetrics"
	"github.com/slicewright/slicewright/app/internal/find/audit"
	"github.com/slicewright/slicewright/app/internal/find/chart"
	"github.com/slicewright/slicewright/app/internal/find/codeowners"
	"github.com/slicewright/slicewright/app/internal/find/evidence"
	"github.com/slicewright/slicewright/app/internal/find/gosource"
	"github.com/slicewright/slicewright/app/internal/find/objects"
	"github.com/slicewright/slicewright/app/internal/find/obstacles"
	"github.com/slicewright/slicewright/app/internal/find/rbac"
	"github.com/slicewright/slicewright/app/internal/find/registry"
	"github.com/slicewright/slicewright/app/internal/find/textsource"
	"github.com/slicewright/slicewright/app/internal/find/workloads"
	"github.com/slicewright/slicewright/app/internal/find/writers"
)

// search runs the sources that the flags ask for and gathers what they report.
// What one source cannot read is in its coverage, and the others still run.
type search struct {
	streams command.Streams
	flags   findFlags
	charts  chart.Options

	findings []evidence.Finding
	coverage []evidence.Coverage
	check    *apimetrics.CrossCheck
	patches  []registry.RolePatch
	// obstacles are those of every snapshot.
	obstacles []obstacles.Obstacle
	log       *audit.Totals      // nil without an audit log
	running   []*workloads.Index // of each snapshot, to know whose Pod a log speaks of
}

func newSearch(streams command.Streams, flags findFlags) *search {
	return &search{streams: streams, flags: flags}
}

// run calls the sources, the audit log before the metrics that it explains.
func (s *search) run(ctx context.Context) error {
	steps := []struct {
		doing string
		run   func(context.Context) error
	}{
		{"searching source", s.source},
		{"reading objects", s.objects},
		{"reading audit logs", s.audit},
		{"reading aggregates", s.aggregate},
		{"reading metrics", s.metrics},
	}
	defer s.progress("")
	for _, step := range steps {
		s.progress(step.doing)
		if err := step.run(ctx); err != nil {
			return err
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	for _, index := range s.running {
		registry.AttributeStaticPods(s.findings, index)
	}
	return nil
}

// progress says on a terminal what is being done, in one line that "" removes.
func (s *search) progress(doing string) {
	if onTerminal(s.streams.Err) {
		fmt.Fprint(s.streams.Err, "\r\x1b[K"+doing)
	}
}

func (s *search) add(findings []evidence.Finding, coverage evidence.Coverage) {
	s.findings = append(s.findings, findings...)
	s.coverage = append(s.coverage, coverage)
}

func (s *search) source(ctx context.Context) error {
	for _, dir := range s.flags.sources {
		owners := codeowners.Load(dir)
		for _, scan := range sourceScanners {
			findings, coverage := scan(ctx, dir, s)
			registry.AttributeSource(findings, dir, owners)
			s.add(findings, coverage)
		}
	}
	return nil
}

// sourceScanners read a directory of source, each a part of its files.
var sourceScanners = []func(context.Context, string, *search) ([]evidence.Finding, evidence.Coverage){
	func(ctx context.Context, dir string, s *search) ([]evidence.Finding, evidence.Coverage) {
		return gosource.Scan(ctx, dir, gosource.Options{Scopes: s.flags.scopes(), BuildTags: s.flags.buildTags})
	},
	func(ctx context.Context, dir string, s *search) ([]evidence.Finding, evidence.Coverage) {
		f := &s.flags
		return textsource.Scan(ctx, dir, textsource.Options{Tests: f.tests, Generated: f.generated, Vendor: f.vendor, Charts: s.charts})
	},
}

// scopes are those of a project's code that are looked into beside its own.
func (f *findFlags) scopes() []evidence.Scope {
	var out []evidence.Scope
	for scope, wanted := range map[evidence.Scope]bool{
		evidence.ScopeTest: f.tests, evidence.ScopeGenerated: f.generated, evidence.ScopeVendor: f.vendor,
	} {
		if wanted {
			out = append(out, scope)
		}
	}
	return out
}

// objects reads manifests and the cluster into snapshots and evaluates each.
func (s *search) objects(ctx context.Context) error {
	for _, name := range s.flags.manifests {
		snapshot, coverage, err := s.manifests(ctx, name)
		if err != nil {
			coverage.Skipped++
			coverage.Problem(name, err.Error())
		}
		s.coverage = append(s.coverage, coverage)
		if snapshot != nil {
			s.evaluate(snapshot)
		}
	}
	if !s.flags.cluster {
		return nil
	}
	clients, config, err := clusterClients(s.flags.kube)
	if err != nil {
		return err
	}
	opts := clusterOptions(s.flags.kube)
	opts.Progress = func(resource string) { s.progress("reading " + resource) }
	snapshot, coverage, err := objects.ReadCluster(ctx, clients, opts)
	if err != nil {
		coverage.Problem("cluster "+config.Host, err.Error())
	}
	s.coverage = append(s.coverage, coverage)
	if snapshot != nil {
		s.evaluate(snapshot)
	}
	return nil
}

// clusterClients are the clients of --cluster, and the connection for errors.
func clusterClients(kube *command.ClusterFlags) (objects.Clients, *rest.Config, error) {
	config, err := kube.RESTConfig()
	if err != nil {
		return objects.Clients{}, nil, fmt.Errorf("reading the kubeconfig for --cluster: %w", err)
	}
	clients, err := objects.NewClients(config, command.Build().Version)
	return clients, config, err
}

func clusterOptions(kube *command.ClusterFlags) objects.ClusterOptions {
	opts := objects.ClusterOptions{}
	if ns := kube.Namespace(); ns != "" {
		opts.Namespaces = []string{ns}
	}
	return opts
}

func (s *search) manifests(ctx context.Context, name string) (*objects.Snapshot, evidence.Coverage, error) {
	opts := objects.ManifestOptions{Namespace: s.flags.kube.Namespace(), Charts: s.charts}
	failed := evidence.Coverage{Source: evidence.SourceObject}
	if name == "-" {
		snapshot, coverage := objects.ReadManifest("stdin", s.streams.In, opts)
		return snapshot, coverage, nil
	}
	info, err := os.Stat(name)
	if err != nil {
		return nil, failed, err
	}
	if !info.IsDir() {
		f, err := os.Open(name)
		if err != nil {
			return nil, failed, err
		}
		defer f.Close()
		snapshot, coverage := objects.ReadManifest(filepath.Base(name), f, opts)
		return snapshot, coverage, nil
	}
	root, err := os.OpenRoot(name)
	if err != nil {
		return nil, failed, err
	}
	defer root.Close()
	return objects.ReadManifests(ctx, root.FS(), opts)
}

func (s *search) evaluate(snapshot *objects.Snapshot) {
	grants := rbac.Analyze(snapshot)
	s.running = append(s.running, grants.Workloads)
	s.add(grants.Findings, grants.Coverage)
	s.add(writers.Find(snapshot, grants))
	inTheWay, servers := obstacles.Find(snapshot, grants)
	s.obstacles = append(s.obstacles, inTheWay...)
	s.findings = append(s.findings, servers...)
	for _, p := range grants.Patches {
		s.patches = append(s.patches, registry.NewRolePatch(p))
	}
}

func (s *search) audit(ctx context.Context) error {
	if len(s.flags.audits) == 0 {
		return nil
	}
	result := audit.Scan(ctx, s.flags.audits, s.streams.In, s.flags.auditOptions())
	s.addLogged(result.Findings, result.Coverage)
	s.log = &result.Totals
	return nil
}

func (s *search) aggregate(context.Context) error {
	for _, name := range s.flags.aggregate {
		in := s.streams.In
		if name != "-" {
			f, err := os.Open(name)
			if err != nil {
				return fmt.Errorf("reading the aggregate: %w", err)
			}
			defer f.Close()
			in = f
		}
		result, err := audit.ReadAggregate(name, in, s.flags.auditOptions())
		if err != nil {
			return err
		}
		s.addLogged(result.Findings, result.Coverage)
	}
	return nil
}

// addLogged adds findings of a log, which knows Pods and ServiceAccounts, with the
// workloads that the objects say they belong to.
func (s *search) addLogged(findings []evidence.Finding, coverage evidence.Coverage) {
	for _, index := range s.running {
		registry.AttributeWorkloads(findings, index)
	}
	s.add(findings, coverage)
}

func (s *search) metrics(ctx context.Context) error {
	if len(s.flags.metrics) == 0 && s.flags.server == "" {
		return nil
	}
	client, err := s.httpClient()
	if err != nil {
		return err
	}
	from := apimetrics.Source{Client: client, UserAgent: command.UserAgent("find")}
	var counts, before apimetrics.Counts
	var failures evidence.Coverage
	read := func(names []string, into *apimetrics.Counts) {
		for _, name := range names {
			c, err := from.Read(ctx, name, s.streams.In)
			if err != nil {
				failures.Skipped++
				failures.Problem(name, err.Error())
				continue
			}
			*into = into.Add(c)
		}
	}
	read(s.flags.metrics, &counts)
	read(s.flags.before, &before)
	if s.flags.server != "" {
		c, err := from.Prometheus(ctx, s.flags.server)
		if err != nil {
			failures.Skipped++
			failures.Problem(s.flags.server, err.Error())
		} else {
			counts = counts.Add(c)
		}
	}
	if len(s.flags.before) > 0 {
		counts = counts.Since(before)
	}
	var explained *apimetrics.Explained
	if t := s.log; t != nil {
		explained = &apimetrics.Explained{Requests: t.Requests, Self: t.Self, OpenWatches: t.OpenWatches, First: t.First, Last: t.Last}
	}
	check, coverage := counts.Check(explained)
	coverage.Skipped += failures.Skipped
	coverage.Problems = append(failures.Problems, coverage.Problems...)
	s.check = &check
	s.coverage = append(s.coverage, coverage)
	return nil
}

// httpClient is for metrics URLs: with a limit of time, and with the token and
// certificates that were given.
func (s *search) httpClient() (*http.Client, error) {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	if s.flags.caFile != "" {
		pem, err := os.ReadFile(s.flags.caFile)
		if err != nil {
			return nil, fmt.Errorf("reading --ca-file: %w", err)
		}
		pool := x509.NewCertPool()
		if !pool.AppendCertsFromPEM(pem) {
			return nil, command.UsageErrorf("--ca-file %s holds no certificate in PEM", s.flags.caFile)
		}
		transport.TLSClientConfig = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
	}
	client := &http.Client{Transport: transport, Timeout: 2 * time.Minute}
	if s.flags.tokenFile != "" {
		b, err := os.ReadFile(s.flags.tokenFile)
		if err != nil {
			return nil, fmt.Errorf("reading --bearer-token-file: %w", err)
		}
		client.Transport = bearer{strings.TrimSpace(string(b)), transport}
		// A token must not follow a redirect to another host.
		client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	}
	return client, nil
}

type bearer struct {
	token string
	next  http.RoundTripper
}

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.token)
	return b.next.RoundTrip(r)
}

func onTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
