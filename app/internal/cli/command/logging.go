package command

import (
	"io"
	"log/slog"
	"strings"

	"github.com/spf13/pflag"
	"k8s.io/klog/v2"
)

// LogFlags say how a long-running command logs.
type LogFlags struct {
	format string
	level  string
}

// AddTo adds the flags to a command's.
func (f *LogFlags) AddTo(flags *pflag.FlagSet) {
	flags.StringVar(&f.format, "log-format", "text", "text or json")
	flags.StringVar(&f.level, "log-level", "info", "debug, info, warn or error")
}

// Logger returns the command's logger. What client-go has to say goes there too.
func (f *LogFlags) Logger(out io.Writer) (*slog.Logger, error) {
	var level slog.Level
	if err := level.UnmarshalText([]byte(strings.ToUpper(f.level))); err != nil {
		return nil, UsageErrorf("unknown --log-level %q: use debug, info, warn or error", f.level)
	}
	var handler slog.Handler
	switch f.format {
	case "text":
		handler = slog.NewTextHandler(out, &slog.HandlerOptions{Level: level})
	case "json":
		handler = slog.NewJSONHandler(out, &slog.HandlerOptions{Level: level})
	default:
		return nil, UsageErrorf("unknown --log-format %q: use text or json", f.format)
	}
	logger := slog.New(handler)
	klog.SetSlogLogger(logger.With("from", "client-go"))
	return logger, nil
}
