// Package experiment is the stop experiment, done for real: a consumer with its
// load balancer at a real control plane, whose Endpoints controller is switched
// off while Pods move. Who answers through the load balancer decides, and a
// reader of Endpoints beside it shows what would have happened.
//
// What is looked at has the names of docs/gate.md; what was seen becomes an
// ExperimentReport, which slicewright gate takes.
package experiment

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/slicewright/slicewright/app/experiment/controllers"
	"github.com/slicewright/slicewright/app/experiment/report"
	"github.com/slicewright/slicewright/lab/auditlog"
	"github.com/slicewright/slicewright/lab/manifest"
)

// Lab is what the experiment does to the lab that it runs in.
type Lab interface {
	// Restart restarts a component of the control plane, with flags in place of
	// the lab's own.
	Restart(ctx context.Context, component string, flags ...string) error
	// Kill ends a component as kill -9 does.
	Kill(ctx context.Context, component string) error
	// Listen opens listeners on addresses without Pods; Unlisten closes them.
	Listen(ctx context.Context, ranges string, port uint16) error
	Unlisten(ctx context.Context, ranges string) error
	// Kubeconfig is one for a user, who may do nothing yet.
	Kubeconfig(ctx context.Context, user string) ([]byte, error)
	// AuditLog is the file of the API server's audit events.
	AuditLog() string
}

// Config says what to do the experiment with. It has to run in the lab's network.
type Config struct {
	Lab Lab
	// Cluster acts as an administrator.
	Cluster *rest.Config
	// Admin is the administrator's kubeconfig, a file.
	Admin string
	// Slicewright is the program. It is the consumer unless there is another, and
	// compares both APIs in any case.
	Slicewright string
	// Reader starts the Endpoints reader: a program and its first arguments, to
	// which the flags of package endpointsreader are added.
	Reader []string
	// Consumer is whose move is put to the test.
	Consumer Consumer
	// Namespace gets everything; it is made if it is not there.
	Namespace string
	// Controllers is kube-controller-manager's --controllers as the lab has it.
	Controllers string
	// Upgrade, if not nil, brings the control plane to the version that the
	// experiment is about, with the same etcd data. The lab then begins at an
	// older one.
	Upgrade func(context.Context) error
	// Acts are those to play, of Acts(); nil is all.
	Acts []string
	// Skip names checks that are not to be done.
	Skip []string
	// Patience is how long a consumer may take to follow; 0 is 90 s. A slow
	// machine needs it; what follows at all does so in milliseconds.
	Patience time.Duration
	// Dir gets the experiment's files; it must exist.
	Dir string
	// Out gets the story.
	Out io.Writer
}

// The acts. Each is whole by itself.
const (
	Stop     = "stop"     // the controller is stopped, and comes back
	Data     = "data"     // slices of every shape
	Recovery = "recovery" // what fails besides
)

// Acts lists them in the order in which they are played.
func Acts() []string { return []string{Stop, Data, Recovery} }

// An act is a Service, a consumer that was started for it, and checks.
type act struct {
	name   string
	checks []string // all of them, in order; those that are not reached are not-run
	play   func(*experiment, context.Context) error
}

var acts = []act{
	{Stop, []string{
		"versions-crossed", "sources-agreed", "controller-stopped", "consumer-followed", "endpoints-reader-did-not",
		"last-backend-removed", "consumer-restarted", "connection-cut", "mirroring-stopped", "way-back", "no-endpoints-requests",
	}, (*experiment).playStop},
	{Data, []string{
		"several-slices", "duplicates", "different-ports", "families", "conditions", "label-moved", "last-slice-removed",
	}, (*experiment).playData},
	{Recovery, []string{"cold-start", "access-denied", "watch-lost", "publishing-repeated"}, (*experiment).playRecovery},
}

// experiment is one run.
type experiment struct {
	Config
	*recorder
	client  kubernetes.Interface
	objects *manifest.Client
	audit   auditlog.Log // since it began

	consumer, reader *side // those of the act that is played
}

// Run does the experiment and returns its report, also when checks failed. An
// error says that it could not be done to its end; the report then has what
// there is until there.
func Run(ctx context.Context, config Config) (*report.Experiment, error) {
	if config.Patience == 0 {
		config.Patience = 90 * time.Second
	}
	if config.Acts == nil {
		config.Acts = Acts()
	}
	e := &experiment{Config: config, recorder: &recorder{out: config.Out, skip: config.Skip}}
	if err := e.verify(); err != nil {
		return nil, err
	}
	consumer, err := e.Consumer.identity()
	if err != nil {
		return nil, err
	}
	result := &report.Experiment{
		APIVersion: report.APIVersion, Kind: report.Kind, Name: e.Consumer.Name + "-without-endpoints",
		Started: now(), Consumer: consumer,
	}
	err = e.run(ctx, result)
	result.Checks = e.checks
	result.Finished = now()
	return result, err
}

// now has the precision that a report needs.
func now() time.Time { return time.Now().UTC().Truncate(time.Second) }

func (e *experiment) run(ctx context.Context, result *report.Experiment) error {
	if err := e.open(ctx); err != nil {
		return err
	}
	var failures []error
	for _, a := range acts {
		if !slices.Contains(e.Acts, a.name) {
			e.leaveOut(a.checks, "Nobody asked for it.")
			continue
		}
		err := a.play(e, ctx)
		e.closeAct()
		if err != nil {
			failures = append(failures, fmt.Errorf("act %s: %w", a.name, err))
			e.leaveOut(a.checks, "An earlier step ended the experiment: "+firstLine(err.Error()))
		}
	}
	version, err := e.client.Discovery().ServerVersion()
	if err != nil {
		return errors.Join(append(failures, fmt.Errorf("ask for the version: %w", err))...)
	}
	result.Kubernetes = version.GitVersion
	if e.stopped != "" {
		result.Controllers = e.stopped
	}
	return errors.Join(failures...)
}

// verify refuses what could only fail later.
func (e *experiment) verify() error {
	// It goes into manifests.
	if wrong := validation.IsDNS1123Label(e.Namespace); len(wrong) > 0 {
		return fmt.Errorf("namespace %q: %s", e.Namespace, wrong[0])
	}
	if _, err := controllers.Runs(e.Controllers, controllers.Endpoints); err != nil {
		return err
	}
	for _, name := range e.Acts {
		if !slices.Contains(Acts(), name) {
			return fmt.Errorf("no act %q: there is %v", name, Acts())
		}
	}
	for _, name := range e.Skip {
		known := slices.ContainsFunc(acts, func(a act) bool { return slices.Contains(a.checks, name) })
		if !known {
			return fmt.Errorf("no check %q to skip", name)
		}
	}
	return e.Consumer.verify()
}

// open makes clients and the namespace with who may do what in it.
func (e *experiment) open(ctx context.Context) error {
	// Reading Endpoints is the point here; the deprecation warnings are known.
	cluster := rest.CopyConfig(e.Cluster)
	cluster.WarningHandlerWithContext = rest.NoWarnings{}
	var err error
	if e.client, err = kubernetes.NewForConfig(cluster); err != nil {
		return fmt.Errorf("make a client: %w", err)
	}
	if e.objects, err = manifest.NewClient(cluster); err != nil {
		return err
	}
	if e.audit, err = auditlog.Now(e.Lab.AuditLog()); err != nil {
		return err
	}
	if err := e.apply(ctx, fmt.Sprintf("apiVersion: v1\nkind: Namespace\nmetadata: {name: %s}\n", e.Namespace)); err != nil {
		return err
	}
	return e.permit(ctx)
}

func (e *experiment) apply(ctx context.Context, text string) error {
	objects, err := manifest.Parse([]byte(text))
	if err != nil {
		return err
	}
	for _, object := range objects {
		if err := e.objects.Apply(ctx, object, e.Namespace); err != nil {
			return err
		}
	}
	return nil
}

// openAct makes the two sides for a Service, not started yet.
func (e *experiment) openAct(ctx context.Context, name, service string) error {
	dir := filepath.Join(e.Dir, name)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make the act's folder: %w", err)
	}
	var err error
	if e.consumer, err = e.newSide(ctx, e.Consumer, consumerUser, filepath.Join(dir, "consumer"), service, 8000); err != nil {
		return err
	}
	e.reader, err = e.newSide(ctx, EndpointsReader(e.Config.Reader), readerUser, filepath.Join(dir, "reader"), service, 8001)
	return err
}

// closeAct ends what the act started.
func (e *experiment) closeAct() {
	for _, s := range []*side{e.consumer, e.reader} {
		if s != nil {
			s.close()
		}
	}
	e.consumer, e.reader = nil, nil
}
