package scenario

import (
	"context"
	"fmt"
	"io"
	"net/netip"
	"slices"

	consumers "github.com/slicewright/slicewright/app/observe"

	"github.com/slicewright/slicewright/lab/address"
)

// unknown means a view that an observer cannot give.
const unknown = "unknown"

// cmdView waits until an observer of verify sees exactly these addresses as
// candidates for new connections, or gives an error, "unknown". It is the observer
// that is on trial: who really answers is what "expect" says.
func (s *script) cmdView(_ io.Writer, args []string) error {
	if err := arguments(args, 2, 2); err != nil {
		return err
	}
	observer, err := consumers.NewObserver(args[0])
	if err != nil {
		return err
	}
	var want []netip.Addr
	if args[1] != unknown {
		if want, err = address.Parse(args[1]); err != nil {
			return err
		}
	}
	return s.await(func(ctx context.Context) error {
		view, err := observer.Observe(ctx)
		switch {
		case args[1] == unknown && err == nil:
			return fmt.Errorf("%s sees %s", observer, address.Format(candidates(view)))
		case args[1] == unknown && ctx.Err() == nil:
			return nil
		case err != nil:
			return err
		}
		if err := address.Compare(want, candidates(view)); err != nil {
			return fmt.Errorf("%s: %w", observer, err)
		}
		return nil
	})
}

// candidates are the addresses for new connections, in order and each once.
func candidates(view consumers.View) []netip.Addr {
	var all []netip.Addr
	for _, m := range view.Members {
		if m.Use == consumers.New {
			all = append(all, m.Address.Addr())
		}
	}
	slices.SortFunc(all, netip.Addr.Compare)
	return slices.Compact(all)
}
