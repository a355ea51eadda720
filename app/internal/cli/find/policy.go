package find

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/slicewright/slicewright/app/internal/cli/command"
	"github.com/slicewright/slicewright/app/internal/find/auditpolicy"
	"github.com/slicewright/slicewright/app/internal/find/auditquery"
	"github.com/slicewright/slicewright/app/internal/output"
	"github.com/slicewright/slicewright/internal/atomicfile"
	"github.com/slicewright/slicewright/internal/text"
)

func newAuditPolicyCommand(streams command.Streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "audit-policy",
		Short: "Say what an audit policy hides of Endpoints, or add the rule that shows it",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return command.UsageErrorf("unknown command %q: see '%s --help'", args[0], cmd.CommandPath())
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newAuditPolicyCheckCommand(streams), newAuditPolicyAddCommand(streams))
	return cmd
}

func newAuditPolicyCheckCommand(streams command.Streams) *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "check POLICY.yaml",
		Short: "Try a policy with every kind of request for Endpoints that its rules can tell apart",
		Long: `Try a policy with every kind of request for Endpoints and EndpointSlices that its
rules can tell apart: users and groups, verbs, namespaces, names. The first rule
that matches decides, so an early "level: None" hides what a later rule would log.

Exit codes: 0 no consumer is hidden; 3 some are; 1 the file is no audit policy.`,
		Args: oneFile,
		RunE: func(_ *cobra.Command, args []string) error {
			if err := command.CheckOutput(format, []string{"table", "json"}); err != nil {
				return err
			}
			p, err := readPolicy(streams.In, args[0])
			if err != nil {
				return err
			}
			r := p.Check()
			if format == "json" {
				if err := output.JSON(streams.Out, r); err != nil {
					return err
				}
			} else {
				printPolicyReport(streams.Out, args[0], r)
			}
			if !r.Sees {
				return command.WithExit(command.ExitFinding, command.ErrQuiet)
			}
			return nil
		},
	}
	cmd.Flags().StringVarP(&format, "output", "o", "table", "output format: table or json")
	return cmd
}

func printPolicyReport(w io.Writer, name string, r auditpolicy.Report) {
	for _, b := range r.Blind {
		where := "no rule"
		if b.Rule > 0 {
			where = fmt.Sprintf("rule %d (line %d)", b.Rule, b.Line)
		}
		note := ""
		if b.ControlPlane {
			note = " (the control plane: hides no consumer)"
		}
		fmt.Fprintf(w, "%s: %s: %s%s\n  verbs: %s\n  users: %s\n  namespaces: %s\n", b.Resource, where, b.Why, note,
			strings.Join(b.Verbs, ", "), text.Line(strings.Join(b.Users, ", ")), text.Line(strings.Join(b.Namespaces, ", ")))
	}
	if r.Sees {
		fmt.Fprintf(w, "No consumer of endpoints or endpointslices is hidden by the %d rules.\n", r.Rules)
		return
	}
	fmt.Fprintf(w, "Consumers can be hidden. Add the rule that shows them: slicewright find audit-policy add %s\n", text.Line(name))
}

func newAuditPolicyAddCommand(streams command.Streams) *cobra.Command {
	var write bool
	cmd := &cobra.Command{
		Use:   "add POLICY.yaml",
		Short: "Print the policy with the one rule that shows Endpoints at the top of its rules",
		Long: `Print the policy with one rule at the top of its rules: endpoints and
endpointslices at level Metadata. Every other byte stays as it is, comments
included. A policy that hides no consumer is printed unchanged.

With --write the file is replaced, whole or not at all. The API server reads its
policy when it starts.`,
		Args: oneFile,
		RunE: func(_ *cobra.Command, args []string) error {
			if write && args[0] == "-" {
				return command.UsageErrorf("--write needs a file, not stdin")
			}
			p, err := readPolicy(streams.In, args[0])
			if err != nil {
				return err
			}
			text, changed, warnings, err := p.Add()
			if err != nil {
				return fmt.Errorf("%s: %w", args[0], err)
			}
			for _, w := range warnings {
				fmt.Fprintln(streams.Err, "Warning: "+w)
			}
			if !write {
				_, err := streams.Out.Write(text)
				return err
			}
			if !changed {
				fmt.Fprintf(streams.Err, "%s hides no consumer: not changed.\n", args[0])
				return nil
			}
			info, err := os.Stat(args[0])
			if err != nil {
				return fmt.Errorf("writing the policy: %w", err)
			}
			if err := atomicfile.Write(args[0], text, info.Mode().Perm()); err != nil {
				return fmt.Errorf("writing the policy: %w", err)
			}
			fmt.Fprintf(streams.Err, "Added the rule to %s. Restart the API server to use it.\n", args[0])
			return nil
		},
	}
	cmd.Flags().BoolVarP(&write, "write", "w", false, "replace the file instead of printing")
	return cmd
}

func oneFile(cmd *cobra.Command, args []string) error {
	if len(args) != 1 {
		return command.UsageErrorf("one file is expected, %d are given: see '%s --help'", len(args), cmd.CommandPath())
	}
	return nil
}

func readPolicy(stdin io.Reader, name string) (*auditpolicy.Policy, error) {
	in := stdin
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return nil, fmt.Errorf("reading the audit policy: %w", err)
		}
		defer f.Close()
		in = f
	}
	text, err := io.ReadAll(io.LimitReader(in, 8<<20))
	if err != nil {
		return nil, fmt.Errorf("reading the audit policy %s: %w", name, err)
	}
	p, err := auditpolicy.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("reading the audit policy %s: %w", name, err)
	}
	return p, nil
}

func newAuditQueryCommand(streams command.Streams) *cobra.Command {
	var backend string
	var opts auditquery.Options
	cmd := &cobra.Command{
		Use:   "audit-query --for " + strings.Join(auditquery.Backends, "|"),
		Short: "Print the query that aggregates an audit log where it is",
		Long: `Print the query that aggregates an audit log where it is, for logs that no one
machine should read. Run it there, save the result as CSV or JSON, and give it to
find --audit-aggregate. Every query has the columns
` + strings.Join(auditquery.Columns, ", ") + `.`,
		Example: `  slicewright find audit-query --for athena --table logs.kube_audit --days 14
  slicewright find --audit-aggregate aggregate.csv --cluster`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			q, err := auditquery.Query(backend, opts)
			if err != nil {
				return command.UsageErrorf("%w", err)
			}
			_, err = io.WriteString(streams.Out, q)
			return err
		},
	}
	cmd.Flags().StringVar(&backend, "for", "", "where the log is: "+strings.Join(auditquery.Backends, ", "))
	cmd.Flags().StringVar(&opts.Table, "table", "", "table, log group or stream selector; a placeholder without it")
	cmd.Flags().IntVar(&opts.Days, "days", 30, "how many days back to look")
	return cmd
}
