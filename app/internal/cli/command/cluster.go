package command

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/pflag"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/slicewright/slicewright/app/internal/apiclient"
	"github.com/slicewright/slicewright/endpointset"
	"github.com/slicewright/slicewright/watch"
)

// ClusterFlags are kubectl's flags for choosing a cluster: those that say which
// cluster and which user, without those that only kubectl needs.
type ClusterFlags struct {
	kubeconfig string
	overrides  clientcmd.ConfigOverrides
	extra      []string // KEY=VALUE of the user to impersonate
	noName     bool
}

// NewClusterFlags returns the flags.
func NewClusterFlags() *ClusterFlags {
	return &ClusterFlags{overrides: clientcmd.ConfigOverrides{Timeout: "0"}}
}

// WithoutName leaves --cluster out, which has another meaning in commands that
// read a cluster beside other sources: there it says to read it.
func (f *ClusterFlags) WithoutName() *ClusterFlags {
	f.noName = true
	return f
}

// AddTo adds the flags to a command's.
func (f *ClusterFlags) AddTo(flags *pflag.FlagSet) {
	o := &f.overrides
	flags.StringVar(&f.kubeconfig, "kubeconfig", "", "Path to the kubeconfig file to use for CLI requests.")
	flags.StringVar(&o.AuthInfo.ClientCertificate, "client-certificate", "", "Path to a client certificate file for TLS")
	flags.StringVar(&o.AuthInfo.ClientKey, "client-key", "", "Path to a client key file for TLS")
	flags.StringVar(&o.AuthInfo.Token, "token", "", "Bearer token for authentication to the API server")
	flags.StringVar(&o.AuthInfo.Impersonate, "as", "", "Username to impersonate for the operation. User could be a regular user or a service account in a namespace.")
	flags.StringVar(&o.AuthInfo.ImpersonateUID, "as-uid", "", "UID to impersonate for the operation.")
	flags.StringArrayVar(&o.AuthInfo.ImpersonateGroups, "as-group", nil, "Group to impersonate for the operation, this flag can be repeated to specify multiple groups.")
	flags.StringArrayVar(&f.extra, "as-user-extra", nil, "User extras to impersonate for the operation, this flag can be repeated to specify multiple values for the same key.")
	if !f.noName {
		flags.StringVar(&o.Context.Cluster, "cluster", "", "The name of the kubeconfig cluster to use")
	}
	flags.StringVar(&o.Context.AuthInfo, "user", "", "The name of the kubeconfig user to use")
	flags.StringVarP(&o.Context.Namespace, "namespace", "n", "", "If present, the namespace scope for this CLI request")
	flags.StringVar(&o.CurrentContext, "context", "", "The name of the kubeconfig context to use")
	flags.StringVarP(&o.ClusterInfo.Server, "server", "s", "", "The address and port of the Kubernetes API server")
	flags.StringVar(&o.ClusterInfo.TLSServerName, "tls-server-name", "", "Server name to use for server certificate validation. If it is not provided, the hostname used to contact the server is used")
	flags.BoolVar(&o.ClusterInfo.InsecureSkipTLSVerify, "insecure-skip-tls-verify", false, "If true, the server's certificate will not be checked for validity. This will make your HTTPS connections insecure")
	flags.StringVar(&o.ClusterInfo.CertificateAuthority, "certificate-authority", "", "Path to a cert file for the certificate authority")
	flags.StringVar(&o.Timeout, "request-timeout", "0", "The length of time to wait before giving up on a single server request. Non-zero values should contain a corresponding time unit (e.g. 1s, 2m, 3h). A value of zero means don't timeout requests.")
	flags.StringVar(&o.ClusterInfo.ProxyURL, "proxy-url", "", "Proxy URL to use for requests to the API server")
}

// loader reads the kubeconfig and lets the flags override it.
func (f *ClusterFlags) loader() clientcmd.ClientConfig {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.DefaultClientConfig = &clientcmd.DefaultClientConfig
	rules.ExplicitPath = f.kubeconfig
	overrides := f.overrides
	overrides.ClusterDefaults = clientcmd.ClusterDefaults
	for _, extra := range f.extra {
		key, value, ok := strings.Cut(extra, "=")
		if !ok {
			continue // as kubectl does
		}
		if overrides.AuthInfo.ImpersonateUserExtra == nil {
			overrides.AuthInfo.ImpersonateUserExtra = map[string][]string{}
		}
		overrides.AuthInfo.ImpersonateUserExtra[key] = append(overrides.AuthInfo.ImpersonateUserExtra[key], value)
	}
	return clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, &overrides)
}

// Namespace is what -n says, "" without it.
func (f *ClusterFlags) Namespace() string { return f.overrides.Context.Namespace }

// CurrentNamespace is what -n says or, without it, the namespace of the
// kubeconfig's context.
func (f *ClusterFlags) CurrentNamespace() (string, error) {
	namespace, _, err := f.loader().Namespace()
	return namespace, err
}

// RESTConfig returns the connection to the chosen cluster.
func (f *ClusterFlags) RESTConfig() (*rest.Config, error) {
	connection, err := f.loader().ClientConfig()
	if clientcmd.IsEmptyConfig(err) {
		return nil, errors.New("connect to the cluster: no kubeconfig says which one: use --kubeconfig, KUBECONFIG or ~/.kube/config")
	}
	if err != nil {
		return nil, fmt.Errorf("connect to the cluster: %w", err)
	}
	return connection, nil
}

// Connect returns a client for the chosen cluster whose requests name the
// command, and the connection that it was made from.
func (f *ClusterFlags) Connect(command string) (apiclient.Interface, *rest.Config, error) {
	connection, err := f.RESTConfig()
	if err != nil {
		return nil, nil, err
	}
	connection = watch.Configure(connection, UserAgent(command))
	client, err := apiclient.New(connection)
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
