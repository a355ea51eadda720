package main

import (
	"fmt"

	"github.com/spf13/cobra"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/slicewright/slicewright/lab/endpointsreader"
	"github.com/slicewright/slicewright/lab/haproxy"
)

func newEndpointsReaderCommand() *cobra.Command {
	var c endpointsreader.Config
	var kubeconfig, dir, socket string
	cmd := &cobra.Command{
		Use:    "endpoints-reader",
		Short:  "Read a Service's Endpoints and write them into a HAProxy (started by 'experiment')",
		Args:   cobra.NoArgs,
		Hidden: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var err error
			if c.Cluster, err = clientcmd.BuildConfigFromFlags("", kubeconfig); err != nil {
				return fmt.Errorf("read the kubeconfig: %w", err)
			}
			c.Cluster.UserAgent = "endpoints-reader/v1"
			c.HAProxy = haproxy.New(haproxy.Config{Dir: dir, Socket: socket})
			c.Out = cmd.OutOrStdout()
			return endpointsreader.Run(cmd.Context(), c)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&kubeconfig, "kubeconfig", "", "who it is")
	flags.StringVar(&c.Namespace, "namespace", "", "of the Service")
	flags.StringVar(&c.Service, "service", "", "to follow")
	flags.StringVar(&c.Port, "port", "http", "name of the port")
	flags.StringVar(&dir, "dir", ".", "HAProxy's folder")
	flags.StringVar(&socket, "socket", "admin.sock", "HAProxy's socket, in its folder")
	flags.StringVar(&c.Backend, "backend", "users", "to fill")
	return cmd
}
