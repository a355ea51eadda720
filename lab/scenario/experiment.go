package scenario

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/slicewright/slicewright/lab/address"
	"github.com/slicewright/slicewright/lab/experiment"
)

// cmdExperiment does the stop experiment in the script's namespace and writes
// its report. It fails if a check did.
func (s *script) cmdExperiment(out io.Writer, args []string) error {
	if err := arguments(args, 1, -1); err != nil {
		return err
	}
	flags := flag.NewFlagSet("experiment", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	consumer := flags.String("consumer", "slicewright", "")
	acts := flags.String("acts", strings.Join(experiment.Acts(), ","), "")
	skip := flags.String("skip", "", "")
	patience := flags.Duration("patience", 0, "")
	deaf := flags.Bool("deaf", false, "")
	if err := flags.Parse(args[1:]); err != nil || flags.NArg() > 0 {
		return errUsage
	}
	reader, err := s.labProgram("slicewright-lab")
	if err != nil {
		return err
	}
	config := experiment.Config{
		Lab: labOf{s, *deaf}, Cluster: s.engine.Lab.Config, Admin: filepath.Join(s.engine.Lab.Dir, "admin.kubeconfig"),
		Slicewright: s.engine.Slicewright, Reader: []string{reader, "endpoints-reader"},
		Namespace: s.namespace, Controllers: "*", Acts: strings.Split(*acts, ","),
		Patience: *patience, Dir: s.logs, Out: out,
	}
	if *skip != "" {
		config.Skip = strings.Split(*skip, ",")
	}
	switch *consumer {
	case "slicewright":
		config.Consumer = experiment.Slicewright(s.engine.Slicewright)
	case "endpoints-reader":
		config.Consumer = experiment.EndpointsReader(config.Reader)
	default:
		return errUsage
	}
	report, err := experiment.Run(s.ctx, config)
	if err != nil {
		return err
	}
	content, err := report.JSON()
	if err != nil {
		return err
	}
	if err := os.WriteFile(s.path(args[0]), content, 0o644); err != nil {
		return err
	}
	if failed := report.Failed(); len(failed) > 0 {
		return fmt.Errorf("%d checks failed: %s", len(failed), strings.Join(failed, ", "))
	}
	return nil
}

// cmdAudit writes what the API server's audit log got since the script began, or
// since the last such command.
func (s *script) cmdAudit(_ io.Writer, args []string) error {
	if err := arguments(args, 1, 1); err != nil {
		return err
	}
	log := s.audit
	if s.audited != nil {
		log = *s.audited
	}
	rest, err := log.CopyTo(s.path(args[0]))
	s.audited = &rest
	return err
}

// labOf is the script's lab, as the experiment uses it. What it disturbs is put
// back at the script's end.
type labOf struct {
	script *script
	// deaf: components are restarted as the lab starts them, whatever the flags
	// say. An experiment that passes so shows nothing.
	deaf bool
}

func (l labOf) Restart(ctx context.Context, component string, flags ...string) error {
	l.script.disturb(component)
	if l.deaf {
		flags = nil
	}
	err := l.script.engine.Lab.ControlPlane.Restart(ctx, component, flags...)
	if err == nil && len(flags) == 0 {
		delete(l.script.disturbed, component)
	}
	return err
}

func (l labOf) Kill(_ context.Context, component string) error {
	l.script.disturb(component)
	return l.script.engine.Lab.ControlPlane.Kill(component)
}

func (l labOf) Listen(_ context.Context, ranges string, port uint16) error {
	parsed, err := address.ParseRanges(ranges)
	if err != nil {
		return err
	}
	return l.script.engine.Lab.Standalone.Listen(parsed, port)
}

func (l labOf) Unlisten(_ context.Context, ranges string) error {
	parsed, err := address.ParseRanges(ranges)
	if err != nil {
		return err
	}
	return l.script.engine.Lab.Standalone.Close(parsed...)
}

func (l labOf) Kubeconfig(_ context.Context, user string) ([]byte, error) {
	return l.script.engine.Lab.ControlPlane.Kubeconfig(user)
}

func (l labOf) AuditLog() string { return l.script.engine.Lab.ControlPlane.AuditLog() }

var _ experiment.Lab = labOf{}
