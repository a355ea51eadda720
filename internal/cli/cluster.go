package cli

import (
	"fmt"

	"k8s.io/cli-runtime/pkg/genericclioptions"
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
