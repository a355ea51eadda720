package cli

import (
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// version is set by the release build with -ldflags -X; a plain `go build` or
// `go install` falls back on the module's own build information.
var version = ""

type versionInfo struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Version    string `json:"version"`
	Revision   string `json:"revision,omitempty"`
	Go         string `json:"go"`
	Platform   string `json:"platform"`
}

func buildVersion() versionInfo {
	info := versionInfo{
		APIVersion: "slicewright.dev/v1alpha1",
		Kind:       "Version",
		Version:    version,
		Go:         runtime.Version(),
		Platform:   runtime.GOOS + "/" + runtime.GOARCH,
	}
	build, ok := debug.ReadBuildInfo()
	if !ok {
		return info
	}
	if info.Version == "" {
		info.Version = build.Main.Version
	}
	for _, s := range build.Settings {
		if s.Key == "vcs.revision" {
			info.Revision = s.Value
		}
	}
	return info
}

func newVersionCommand(streams Streams) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			info := buildVersion()
			switch output {
			case "":
				_, err := fmt.Fprintf(streams.Out, "slicewright %s %s %s\n", info.Version, info.Go, info.Platform)
				return err
			case "json":
				enc := json.NewEncoder(streams.Out)
				enc.SetIndent("", "  ")
				return enc.Encode(info)
			default:
				return usageErrorf("unknown output %q: use json, or leave -o out", output)
			}
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "", "output format: json")
	return cmd
}
