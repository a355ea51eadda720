package scenario

import (
	"fmt"
	"io"

	"github.com/slicewright/slicewright/lab/address"
	"github.com/slicewright/slicewright/lab/controlplane"
	"github.com/slicewright/slicewright/lab/kubelet"
)

// cmdCrash kills a component. What is still down at the script's end is
// brought back.
func (s *script) cmdCrash(_ io.Writer, args []string) error {
	if err := arguments(args, 1, 1); err != nil {
		return err
	}
	s.disturb(args[0])
	return s.engine.Lab.ControlPlane.Kill(args[0])
}

func (s *script) cmdRestart(_ io.Writer, args []string) error {
	if err := arguments(args, 1, -1); err != nil {
		return err
	}
	s.disturb(args[0])
	if err := s.engine.Lab.ControlPlane.Restart(s.ctx, args[0], args[1:]...); err != nil {
		return err
	}
	if len(args) == 1 {
		// Without flags it is as the lab starts it.
		delete(s.disturbed, args[0])
	}
	return nil
}

func (s *script) disturb(component string) {
	s.disturbed[component] = true
	if component == controlplane.APIServer || component == controlplane.Etcd {
		s.apiServerWasAway = true
	}
}

func (s *script) cmdCompact(out io.Writer, args []string) error {
	if err := arguments(args, 0, 0); err != nil {
		return err
	}
	revision, err := s.engine.Lab.ControlPlane.Compact(s.ctx)
	fmt.Fprintln(out, revision)
	return err
}

// cmdSnapshot remembers what etcd holds of a resource in the namespace.
func (s *script) cmdSnapshot(_ io.Writer, args []string) error {
	if err := arguments(args, 2, 2); err != nil {
		return err
	}
	snapshot, err := s.engine.Lab.ControlPlane.Snapshot(s.ctx, args[1], s.namespace)
	if err != nil {
		return err
	}
	if snapshot.Len() == 0 {
		return fmt.Errorf("etcd has no %s in namespace %s", args[1], s.namespace)
	}
	s.snapshots[args[0]] = snapshot
	return nil
}

// cmdReturn puts etcd back to a snapshot. The API server must be away: it
// would not expect it.
func (s *script) cmdReturn(_ io.Writer, args []string) error {
	if err := arguments(args, 1, 1); err != nil {
		return err
	}
	snapshot, ok := s.snapshots[args[0]]
	if !ok {
		return fmt.Errorf("no snapshot %q", args[0])
	}
	return s.engine.Lab.ControlPlane.Return(s.ctx, snapshot)
}

func (s *script) cmdListen(_ io.Writer, args []string) error {
	if err := arguments(args, 2, 2); err != nil {
		return err
	}
	ranges, err := address.ParseRanges(args[0])
	if err != nil {
		return err
	}
	port, err := kubelet.ParsePort(args[1])
	if err != nil {
		return err
	}
	return s.engine.Lab.Standalone.Listen(ranges, port)
}

func (s *script) cmdUnlisten(_ io.Writer, args []string) error {
	if err := arguments(args, 1, 1); err != nil {
		return err
	}
	ranges, err := address.ParseRanges(args[0])
	if err != nil {
		return err
	}
	return s.engine.Lab.Standalone.Close(ranges...)
}
