package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/slicewright/slicewright/lab/supervisor"
)

func newStatusCommand(state stateFunc) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Say what of the lab runs",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := state()
			if err != nil {
				return err
			}
			if _, err := s.PID(); err != nil {
				return err
			}
			status, err := supervisor.NewClient(s).Status(cmd.Context())
			if err != nil {
				return err
			}
			if output == "json" {
				encoder := json.NewEncoder(cmd.OutOrStdout())
				encoder.SetIndent("", "  ")
				return encoder.Encode(status)
			}
			return printStatus(cmd.OutOrStdout(), status)
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "table", "table or json")
	return cmd
}

func printStatus(w io.Writer, status supervisor.Status) error {
	table := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	fmt.Fprintln(table, "COMPONENT\tSTATE\tMEMORY\tLOG")
	ready := "starting"
	if status.Ready {
		ready = fmt.Sprintf("%d Pods", status.Pods)
	}
	fmt.Fprintf(table, "lab\t%s\t%s\t%s\n", ready, megabytes(status.Resident), status.Dir)
	for _, c := range status.Components {
		running := "running"
		if !c.Running {
			running = "ended: " + c.Ended
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", c.Name, running, megabytes(c.Resident), c.Log)
	}
	return table.Flush()
}

func megabytes(bytes int64) string {
	if bytes == 0 {
		return "-"
	}
	return fmt.Sprintf("%d MB", bytes>>20)
}

func newKubeconfigCommand(state stateFunc) *cobra.Command {
	query := url.Values{}
	var user, account string
	var groups []string
	cmd := &cobra.Command{
		Use:   "kubeconfig",
		Short: "Print a kubeconfig, for use inside the lab's network ('exec')",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			query.Set("user", user)
			query.Set("serviceaccount", account)
			query["group"] = groups
			return ask(cmd, state, http.MethodGet, "/kubeconfig", query)
		},
	}
	cmd.Flags().StringVar(&user, "user", "", "for this user instead of the administrator")
	cmd.Flags().StringArrayVar(&groups, "group", nil, "put --user in this group; repeatable")
	cmd.Flags().StringVar(&account, "service-account", "", "with a token of this ServiceAccount, NAMESPACE/NAME")
	cmd.MarkFlagsMutuallyExclusive("user", "service-account")
	return cmd
}

func newExecCommand(state stateFunc) *cobra.Command {
	return &cobra.Command{
		Use:     "exec -- COMMAND [ARGS]",
		Short:   "Run a command in the lab's network, with KUBECONFIG set",
		Example: "  slicewright-lab exec -- curl http://10.44.1.1:8080/\n  slicewright-lab exec -- bash",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			s, err := state()
			if err != nil {
				return err
			}
			return enter(s, args)
		},
	}
}

func newApplyCommand(state stateFunc) *cobra.Command {
	var file, namespace string
	cmd := &cobra.Command{
		Use:   "apply -f FILE|-",
		Short: "Apply the objects of a YAML file, where there is no kubectl",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			content, err := readFile(cmd.InOrStdin(), file)
			if err != nil {
				return err
			}
			return send(cmd, state, http.MethodPost, "/apply", url.Values{"namespace": {namespace}}, content)
		},
	}
	cmd.Flags().StringVarP(&file, "filename", "f", "", "the file; - is standard input")
	cmd.Flags().StringVarP(&namespace, "namespace", "n", "default", "for objects that name none; it is made if it is not there")
	_ = cmd.MarkFlagRequired("filename") // fails only for a flag that is not there
	return cmd
}

func readFile(in io.Reader, file string) ([]byte, error) {
	if file == "-" {
		return io.ReadAll(in)
	}
	return os.ReadFile(file)
}

func newKillCommand(state stateFunc) *cobra.Command {
	return &cobra.Command{
		Use:   "kill COMPONENT",
		Short: "Kill etcd, kube-apiserver, kube-controller-manager, kube-scheduler or kube-proxy, as kill -9 does",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return ask(cmd, state, http.MethodPost, "/kill/"+url.PathEscape(args[0]), nil)
		},
	}
}

func newRestartCommand(state stateFunc) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "restart COMPONENT [--FLAG=VALUE…]",
		Short: "Stop a component if it runs and start it, with flags in place of the lab's own",
		Long: `Stop a component if it runs, start it, and return when it is ready. The flags,
each --name=value, stand in place of the lab's own of the same name for this
start; a restart without flags is back at the lab's own. kube-proxy, which the
lab does not start by itself, is started this way.`,
		Example: "  slicewright-lab restart kube-controller-manager --controllers=*,-endpoints-controller",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return ask(cmd, state, http.MethodPost, "/restart/"+url.PathEscape(args[0]), url.Values{"flag": args[1:]})
		},
	}
	// What comes after the component's name are the component's flags.
	cmd.Flags().SetInterspersed(false)
	return cmd
}

func newListenCommand(state stateFunc) *cobra.Command {
	return &cobra.Command{
		Use:     "listen ADDRESSES PORT",
		Short:   "Listen on addresses without Pods, for EndpointSlices written by hand",
		Example: "  slicewright-lab listen 10.42.0.1-10.42.0.240 8080",
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return ask(cmd, state, http.MethodPost, "/listen", url.Values{"ranges": {args[0]}, "port": {args[1]}})
		},
	}
}

func newUnlistenCommand(state stateFunc) *cobra.Command {
	return &cobra.Command{
		Use:   "unlisten ADDRESSES",
		Short: "Close what 'listen' opened on these addresses, cutting open connections",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return ask(cmd, state, http.MethodPost, "/unlisten", url.Values{"ranges": {args[0]}})
		},
	}
}

// ask sends one request to the lab's supervisor and prints the answer.
func ask(cmd *cobra.Command, state stateFunc, method, path string, query url.Values) error {
	return send(cmd, state, method, path, query, nil)
}

func send(cmd *cobra.Command, state stateFunc, method, path string, query url.Values, body []byte) error {
	s, err := state()
	if err != nil {
		return err
	}
	if _, err := s.PID(); err != nil {
		return err
	}
	answer, err := supervisor.NewClient(s).Send(cmd.Context(), method, path, query, body)
	if err != nil {
		return err
	}
	_, err = os.Stdout.Write(answer)
	return err
}
