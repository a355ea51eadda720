// Package cli puts the commands together. A command has a package of its own
// below; it holds flags, streams and exit codes, and no logic.
package cli

import (
	"context"

	"github.com/slicewright/slicewright/app/internal/cli/backends"
	"github.com/slicewright/slicewright/app/internal/cli/command"
	"github.com/slicewright/slicewright/app/internal/cli/convert"
	"github.com/slicewright/slicewright/app/internal/cli/experiment"
	"github.com/slicewright/slicewright/app/internal/cli/find"
	"github.com/slicewright/slicewright/app/internal/cli/gate"
	"github.com/slicewright/slicewright/app/internal/cli/record"
	"github.com/slicewright/slicewright/app/internal/cli/run"
	"github.com/slicewright/slicewright/app/internal/cli/shadow"
	"github.com/slicewright/slicewright/app/internal/cli/timeline"
	"github.com/slicewright/slicewright/app/internal/cli/verify"
	"github.com/slicewright/slicewright/app/internal/cli/version"
)

var slicewright = command.Program{
	Name:  "slicewright",
	Short: "Move your own Kubernetes consumers from Endpoints to EndpointSlice, and prove it",
	Long: `Slicewright moves a team's own consumers off the deprecated core/v1 Endpoints
API and onto EndpointSlice, and proves at the final load balancer that the move
worked.`,
	Commands: []command.New{
		convert.New,
		backends.New,
		run.New,
		record.New,
		timeline.New,
		find.New,
		shadow.New,
		gate.New,
		experiment.New, //nolint:endpointsvet // the plan shows what a reader of Endpoints sees
		verify.New,
		version.New,
	},
}

// Main runs the command line args (with the program's name first) and returns
// the exit code. Cancelling ctx ends a long-running command cleanly.
func Main(ctx context.Context, streams command.Streams, args []string) int {
	return slicewright.Main(ctx, streams, args)
}
