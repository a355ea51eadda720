// Package record is the command that records changes into a file.
package record

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/slicewright/slicewright/app/internal/cli/command"
	"github.com/slicewright/slicewright/app/internal/cli/recording"
	"github.com/slicewright/slicewright/app/internal/timeline/record"
	"github.com/slicewright/slicewright/app/internal/timeline/store"
)

// recordFlags are the command's own.
type recordFlags struct {
	cluster  *command.ClusterFlags
	out      string
	selector string
	all      bool
	lasting  time.Duration
	maxSize  string
	events   []string
}

func New(streams command.Streams) *cobra.Command {
	flags := recordFlags{cluster: command.NewClusterFlags()}
	cmd := &cobra.Command{
		Use:   "record SERVICE...|-l SELECTOR|-A --out FILE.db",
		Short: "Record every change of Services' slices and Pods into a file",
		Long: `Record writes every change of the Services' EndpointSlices and Pods, with the
moment in which it arrived, into a SQLite file. It ends after --for, or when it
is interrupted. Killed while it follows a cluster, it loses at most the last
200 ms. A watch that was lost is kept as a gap.

More than one machine's worth goes into a PostgreSQL database of its own:
--out postgres://HOST/DATABASE. Give its password by PGPASSWORD or PGPASSFILE.

With --events it takes the changes from what kubectl wrote instead:

  kubectl get endpointslices -w --output-watch-events --show-managed-fields -o json > slices.jsonl
  kubectl get pods           -w --output-watch-events --show-managed-fields -o json > pods.jsonl
  slicewright record --events slices.jsonl --events pods.jsonl --out bug.db

Such a file does not say when a change arrived; the API's own moments, in whole
seconds, are taken then. Without --show-managed-fields there are hardly any.`,
		Example: `  # Two Services for a quarter of an hour
  slicewright record reports web -n shop --out shop.db --for 15m

  # Everything, but never more than 2 GiB: the oldest part goes first
  slicewright record -A --out cluster.db --max-size 2Gi`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return runRecord(cmd.Context(), streams, flags, args)
		},
	}
	f := cmd.Flags()
	flags.cluster.AddTo(f)
	f.StringVar(&flags.out, "out", "", "file to write, or a postgres:// URL; a recording that exists goes on")
	f.StringVarP(&flags.selector, "selector", "l", "", "label selector of Services")
	f.BoolVarP(&flags.all, "all-namespaces", "A", false, "every namespace")
	f.DurationVar(&flags.lasting, "for", 0, "how long to record; 0 is until interrupted")
	f.StringVar(&flags.maxSize, "max-size", "", "most that the file may take, for instance 2Gi; the oldest part goes first")
	f.StringArrayVar(&flags.events, "events", nil, `import what kubectl wrote, "-" for stdin; can be given more than once`)
	return cmd
}

func runRecord(ctx context.Context, streams command.Streams, flags recordFlags, args []string) error {
	if flags.out == "" {
		return command.UsageErrorf("say where to: --out FILE.db")
	}
	server := store.IsServer(flags.out)
	if strings.Contains(flags.out, "://") && !server {
		return command.UsageErrorf("--out %s: a recording is a file or a postgres:// URL", store.DisplayName(flags.out))
	}
	size, err := parseSize(flags.maxSize)
	if err != nil {
		return err
	}
	if server && size != 0 {
		return command.UsageErrorf("--max-size is for files: a server's own means bound a database")
	}
	// A file size limit must be an error of the write, not the end of the process.
	recording.IgnoreFileSizeSignal()
	if len(flags.events) > 0 {
		if len(args) > 0 || flags.selector != "" || flags.all || flags.lasting != 0 {
			return command.UsageErrorf("--events imports whole files: leave Services, -l, -A and --for out, and choose with 'timeline'")
		}
		return importEvents(ctx, streams, flags, size)
	}
	return recordCluster(ctx, streams, flags, size, args)
}

func parseSize(text string) (int64, error) {
	if text == "" {
		return 0, nil
	}
	q, err := resource.ParseQuantity(text)
	if err != nil {
		return 0, command.UsageErrorf("--max-size %q: %w", text, err)
	}
	if q.Value() < store.MinSize {
		return 0, command.UsageErrorf("--max-size %s: it must be at least %dMi", text, store.MinSize>>20)
	}
	return q.Value(), nil
}

func importEvents(ctx context.Context, streams command.Streams, flags recordFlags, size int64) error {
	if info, err := os.Stat(flags.out); err == nil && info.Size() > 0 {
		return command.UsageErrorf("%s exists: an import needs a new file, and takes several --events at once", flags.out)
	}
	var sources []record.Source
	for _, name := range flags.events {
		source, err := streams.OpenEvents(name)
		if err != nil {
			return err
		}
		defer source.Close()
		sources = append(sources, record.Source{Name: name, Reader: source})
	}
	// The import has no clock of its own: the first event says when it begins.
	w, err := store.Create(ctx, flags.out, store.Run{
		Source: "import of " + strings.Join(flags.events, ", "), Scope: "events " + strings.Join(flags.events, ", "), MaxSize: size,
	})
	if err != nil {
		return err
	}
	if !w.Until().IsZero() {
		w.Close(ctx)
		return command.UsageErrorf("%s holds a recording already: an import needs an empty one, and takes several --events at once", store.DisplayName(flags.out))
	}
	n, err := record.Import(ctx, w, sources...)
	slices, pods := len(w.State().Slices), len(w.State().Pods)
	if err = recording.Close(ctx, w, err); err != nil {
		return fmt.Errorf("import into %s: %d documents were read: %w", store.DisplayName(flags.out), n, err)
	}
	_, err = fmt.Fprintf(streams.Out, "imported %d documents into %s; at the end there are %d slices and %d Pods\n", n, store.DisplayName(flags.out), slices, pods)
	return err
}

func recordCluster(ctx context.Context, streams command.Streams, flags recordFlags, size int64, args []string) error {
	scope, err := recordScope(flags, args)
	if err != nil {
		return err
	}
	client, connection, err := flags.cluster.Connect("record")
	if err != nil {
		return err
	}
	if flags.lasting > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, flags.lasting)
		defer cancel()
	}
	w, err := store.Create(ctx, flags.out, store.Run{
		Source: connection.Host, Scope: scope.String(), Started: time.Now(), MaxSize: size,
	})
	if err != nil {
		return err
	}
	var last record.Progress
	show := command.ProgressLine(streams.Err)
	cluster := record.Cluster{Client: client, Scope: scope, Now: time.Now, Progress: func(p record.Progress) {
		last = p
		show(fmt.Sprintf("recording: %d changes, %d slices, %d Pods, %d gaps", p.Events, p.Slices, p.Pods, p.Gaps))
	}}
	err = cluster.Record(ctx, w)
	show("")
	nothing := w.Empty()
	if err = recording.Close(ctx, w, err); err != nil {
		return fmt.Errorf("record into %s: %w", store.DisplayName(flags.out), err)
	}
	if nothing {
		return command.WithExit(command.ExitUnknown, fmt.Errorf("nothing was there to record of %s", scope))
	}
	_, err = fmt.Fprintf(streams.Out, "recorded %d changes into %s, with %d gaps; at the end there are %d slices and %d Pods\n",
		last.Events, store.DisplayName(flags.out), last.Gaps, last.Slices, last.Pods)
	return err
}

func recordScope(flags recordFlags, args []string) (record.Scope, error) {
	scope := record.Scope{}
	switch {
	case len(args) > 0 && (flags.all || flags.selector != ""):
		return scope, command.UsageErrorf("give either Services or -l/-A, not both")
	case len(args) == 0 && !flags.all && flags.selector == "":
		return scope, command.UsageErrorf("say what to record: Services, -l SELECTOR or -A")
	}
	if !flags.all {
		namespace, err := flags.cluster.CurrentNamespace()
		if err != nil {
			return scope, fmt.Errorf("read the kubeconfig: %w", err)
		}
		scope.Namespace = namespace
	}
	for i, arg := range args {
		namespace, name, ok := strings.Cut(arg, "/")
		if !ok {
			namespace, name = scope.Namespace, arg
		}
		if i > 0 && namespace != scope.Namespace {
			return scope, command.UsageErrorf("Services of one namespace can be recorded together, not of %s and %s: use -A, or two recordings", scope.Namespace, namespace)
		}
		if name == "" || namespace == "" {
			return scope, command.UsageErrorf("%q names no Service: use NAME or NAMESPACE/NAME", arg)
		}
		scope.Namespace = namespace
		scope.Services = append(scope.Services, name)
	}
	if flags.selector != "" {
		selector, err := labels.Parse(flags.selector)
		if err != nil {
			return scope, command.UsageErrorf("-l %q: %w", flags.selector, err)
		}
		scope.Selector = selector
	}
	return scope, nil
}
