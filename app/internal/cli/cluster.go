package cli

import (
	"fmt"

	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/slicewright/slicewright/watch"
)

// apiVersion is that of every JSON and YAML output.
const apiVersion = "slicewright.dev/v1alpha1"

// newClusterFlags returns kubectl's flags for choosing a cluster: those that
// say which and who, without those that only kubectl has a use for.
func newClusterFlags() *genericclioptions.ConfigFlags {
	flags := genericclioptions.NewConfigFlags(true).WithDeprecatedPasswordFlag()
	flags.CacheDir = nil
	flags.DisableCompression = nil
	flags.Username, flags.Password = nil, nil
	return flags
}

// userAgent is how audit logs know the product, and which command of it.
func userAgent(command string) string {
	info := buildVersion()
	return fmt.Sprintf("slicewright/%s (%s) %s", info.Version, info.Platform, command)
}

// connect returns a client for the chosen cluster that says which command it
// is, and the connection that it was made from.
func connect(flags *genericclioptions.ConfigFlags, command string) (kubernetes.Interface, *rest.Config, error) {
	connection, err := flags.ToRESTConfig()
	if err != nil {
		return nil, nil, fmt.Errorf("connect to the cluster: %w", err)
	}
	client, err := kubernetes.NewForConfig(watch.Configure(connection, userAgent(command)))
	if err != nil {
		return nil, nil, fmt.Errorf("connect to the cluster: %w", err)
	}
	return client, connection, nil
}
