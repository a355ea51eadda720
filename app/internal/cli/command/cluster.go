package command

import (
	"fmt"
	"strings"

	"github.com/spf13/pflag"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/slicewright/slicewright/endpointset"
	"github.com/slicewright/slicewright/watch"
)

// ClusterFlags are kubectl's flags for choosing a cluster: those that say which
// cluster and which user, without those that only kubectl needs.
type ClusterFlags struct {
	flags *genericclioptions.ConfigFlags
}

// NewClusterFlags returns the flags.
func NewClusterFlags() *ClusterFlags {
	flags := genericclioptions.NewConfigFlags(true).WithDeprecatedPasswordFlag()
	flags.CacheDir = nil
	flags.DisableCompression = nil
	flags.Username, flags.Password = nil, nil
	return &ClusterFlags{flags}
}

// WithoutName leaves --cluster out, which has another meaning in commands that
// read a cluster beside other sources: there it says to read it.
func (f *ClusterFlags) WithoutName() *ClusterFlags {
	f.flags.ClusterName = nil
	return f
}

// AddTo adds the flags to a command's.
func (f *ClusterFlags) AddTo(flags *pflag.FlagSet) { f.flags.AddFlags(flags) }

// Namespace is what -n says, "" without it.
func (f *ClusterFlags) Namespace() string { return *f.flags.Namespace }

// CurrentNamespace is what -n says or, without it, the namespace of the
// kubeconfig's context.
func (f *ClusterFlags) CurrentNamespace() (string, error) {
	namespace, _, err := f.flags.ToRawKubeConfigLoader().Namespace()
	return namespace, err
}

// RESTConfig returns the connection to the chosen cluster.
func (f *ClusterFlags) RESTConfig() (*rest.Config, error) {
	connection, err := f.flags.ToRESTConfig()
	if err != nil {
		return nil, fmt.Errorf("connect to the cluster: %w", err)
	}
	return connection, nil
}

// Connect returns a client for the chosen cluster whose requests name the
// command, and the connection that it was made from.
func (f *ClusterFlags) Connect(command string) (kubernetes.Interface, *rest.Config, error) {
	connection, err := f.RESTConfig()
	if err != nil {
		return nil, nil, err
	}
	client, err := kubernetes.NewForConfig(watch.Configure(connection, UserAgent(command)))
	if err != nil {
		return nil, nil, fmt.Errorf("connect to the cluster: %w", err)
	}
	return client, connection, nil
}

// Services reads arguments that name Services. A Service without a namespace is
// in that of -n; its namespace is "" without -n.
func (f *ClusterFlags) Services(args []string) ([]endpointset.ServiceKey, error) {
	var keys []endpointset.ServiceKey
	for _, arg := range args {
		namespace, name, qualified := strings.Cut(arg, "/")
		if !qualified {
			namespace, name = f.Namespace(), arg
		}
		if name == "" || strings.Contains(name, "/") || qualified && namespace == "" {
			return nil, UsageErrorf("%q is no Service: write SERVICE or NAMESPACE/SERVICE", arg)
		}
		keys = append(keys, endpointset.ServiceKey{Namespace: namespace, Name: name})
	}
	return keys, nil
}
