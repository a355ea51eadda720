package command

import (
	"errors"
	"fmt"

	"github.com/slicewright/slicewright/app/internal/output"
	"github.com/slicewright/slicewright/internal/manifest"
)

// The exit codes of every command.
const (
	ExitHolds   = 0 // what was asked holds
	ExitFailed  = 1 // the command could not do its work
	ExitUsage   = 2 // wrong flags, arguments or configuration
	ExitFinding = 3 // a difference, a legacy consumer, a gate not met
	ExitUnknown = 4 // not enough was seen to say
)

// codedError carries the exit code that an error asks for.
type codedError struct {
	code int
	err  error
}

func (e *codedError) Error() string { return e.err.Error() }
func (e *codedError) Unwrap() error { return e.err }

// UsageErrorf is an error of the caller: exit code 2.
func UsageErrorf(format string, args ...any) error {
	return &codedError{ExitUsage, fmt.Errorf(format, args...)}
}

// CheckOutput returns an error of the caller if what was asked for with -o is not one
// of the formats.
func CheckOutput(format string, formats []string) error {
	return WithExit(ExitUsage, output.Check(format, formats))
}

// WithExit gives err an exit code. A nil err stays nil.
func WithExit(code int, err error) error {
	if err == nil {
		return nil
	}
	return &codedError{code, err}
}

// ErrQuiet ends a command with a code after it has already printed its result.
var ErrQuiet = errors.New("")

// exitCode returns the code for what a command returned.
func exitCode(err error) int {
	var coded *codedError
	switch {
	case err == nil:
		return ExitHolds
	case errors.As(err, &coded):
		return coded.code
	case errors.Is(err, manifest.ErrIncomplete), errors.Is(err, manifest.ErrNoKind):
		return ExitUnknown // what was given does not say everything
	default:
		return ExitFailed
	}
}
