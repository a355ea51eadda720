// Package cli puts the commands together. A command has a package of its own
// below; it holds flags, streams and exit codes, and no logic.
package cli

import (
	"context"
)

var slicewright = Program{
	Name:  "slicewright",
	Short: "Move your own Kubernetes consumers from Endpoints to EndpointSlice, and prove it",
	Long: `Slicewright moves a team's own consumers off the deprecated core/v1 Endpoints
API and onto EndpointSlice, and proves at the final load balancer that the move
worked.`,
	Commands: []New{
		newConvertCommand,
		newBackendsCommand,
		newRunCommand,
		newRecordCommand,
		newTimelineCommand,
		newFindCommand,
		newShadowCommand,
		newGateCommand,
		newExperimentCommand,
		newVerifyCommand,
		newVersionCommand,
	},
}

// Main runs the command line args (with the program's name first) and returns
// the exit code. Cancelling ctx ends a long-running command cleanly.
func Main(ctx context.Context, streams Streams, args []string) int {
	return slicewright.Main(ctx, streams, args)
}
