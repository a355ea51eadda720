// Package version is the command that prints the version.
package version

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/slicewright/slicewright/app/internal/cli/command"
	"github.com/slicewright/slicewright/app/internal/output"
)

func New(streams command.Streams) *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			info := command.Build()
			switch format {
			case "":
				_, err := fmt.Fprintf(streams.Out, "slicewright %s %s %s\n", info.Version, info.Go, info.Platform)
				return err
			case "json":
				return output.JSON(streams.Out, info)
			default:
				return command.CheckOutput(format, []string{"json"})
			}
		},
	}
	cmd.Flags().StringVarP(&format, "output", "o", "", "output format: json")
	return cmd
}
