// Package version is the command that prints the version.
package version

import (
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/slicewright/slicewright/app/internal/cli/command"
)

func New(streams command.Streams) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			info := command.Build()
			switch output {
			case "":
				_, err := fmt.Fprintf(streams.Out, "slicewright %s %s %s\n", info.Version, info.Go, info.Platform)
				return err
			case "json":
				enc := json.NewEncoder(streams.Out)
				enc.SetIndent("", "  ")
				return enc.Encode(info)
			default:
				return command.UsageErrorf("unknown output %q: use json, or leave -o out", output)
			}
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "", "output format: json")
	return cmd
}
