package find

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/slicewright/slicewright/app/internal/cli/command"
	"github.com/slicewright/slicewright/app/internal/find/chart"
	"github.com/slicewright/slicewright/app/internal/find/chart/engine"
)

// renderChart is the name of the command that renders one chart.
const renderChart = "render-chart"

// newRenderChartCommand is run by find itself, once for each chart.
func newRenderChartCommand(streams command.Streams) *cobra.Command {
	return &cobra.Command{
		Use:    renderChart,
		Short:  "Render one Helm chart: run by find, in a process that can be stopped",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE:   func(*cobra.Command, []string) error { return engine.Serve(streams.In, streams.Out) },
	}
}

// charts are the options to render Helm charts with, in processes of this very
// program.
func (f *findFlags) charts() (chart.Options, error) {
	var opts chart.Options
	for _, arg := range f.helmValues {
		v, err := engine.ReadValues(arg)
		if err != nil {
			return opts, fmt.Errorf("reading --helm-values: %w", err)
		}
		opts.Values = append(opts.Values, v)
	}
	if !f.render {
		return opts, nil
	}
	self, err := os.Executable()
	if err != nil {
		return opts, fmt.Errorf("finding this program, which renders charts in processes of its own (--render=false does without): %w", err)
	}
	opts.Renderer = chart.Process{Command: []string{self, "find", renderChart}}
	return opts, nil
}
