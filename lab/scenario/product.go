package scenario

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"time"

	"github.com/slicewright/slicewright/lab/process"
)

// cmdSlicewright runs the program under test in the background.
func (s *script) cmdSlicewright(out io.Writer, args []string) error {
	if err := arguments(args, 2, -1); err != nil {
		return err
	}
	name := args[1]
	if args[0] == "start" {
		return s.startProduct(name, args[2:])
	}
	p, err := s.product(name)
	if err != nil {
		return err
	}
	switch args[0] {
	case "kill":
		p.Kill()
		delete(s.products, name)
		s.ended[name] = p
		return nil
	case "stop":
		p.Stop(30 * time.Second)
		delete(s.products, name)
		s.ended[name] = p
		if code := p.ExitCode(); code != 0 {
			return fmt.Errorf("%s ended with exit code %d; the end of its log:\n%s", name, code, p.LogTail(2000))
		}
		return nil
	case "again":
		return s.againProduct(name)
	case "bounce":
		return s.bounceProduct(out, name, args[2:])
	}
	return errUsage
}

func (s *script) startProduct(name string, args []string) error {
	if s.engine.Slicewright == "" {
		return errors.New("the program under test was not built")
	}
	if p := s.products[name]; p != nil {
		return fmt.Errorf("%s runs already", name)
	}
	kubeconfig, err := s.identity(name)
	if err != nil {
		return err
	}
	if err := s.notePublisher(name, kubeconfig, args); err != nil {
		return err
	}
	p, err := process.Start(process.Spec{
		Name: name, Path: s.engine.Slicewright, Args: args, Env: []string{"KUBECONFIG=" + kubeconfig},
		Dir: s.work, Log: filepath.Join(s.logs, name+".log"),
	})
	if err != nil {
		return err
	}
	s.products[name] = p
	return nil
}

// againProduct starts one that was stopped or killed as it was.
func (s *script) againProduct(name string) error {
	p := s.ended[name]
	if p == nil {
		return fmt.Errorf("%s was not stopped or killed", name)
	}
	return s.startProduct(name, p.Spec().Args)
}

// bounceProduct kills it, as kill -9 does, and starts it again, a number of
// times, each at a random moment within the time given after the one before.
func (s *script) bounceProduct(out io.Writer, name string, args []string) error {
	if err := arguments(args, 2, 2); err != nil {
		return err
	}
	times, err := strconv.Atoi(args[0])
	if err != nil {
		return errUsage
	}
	within, err := time.ParseDuration(args[1])
	if err != nil || within <= 0 {
		return errUsage
	}
	for range times {
		// The one place that lets time pass: the moment is the random thing.
		after := rand.N(within)
		time.Sleep(after)
		p, err := s.product(name)
		if err != nil {
			return err
		}
		p.Kill()
		delete(s.products, name)
		s.ended[name] = p
		if err := s.againProduct(name); err != nil {
			return err
		}
		fmt.Fprintf(out, "killed after %s\n", after.Round(time.Millisecond))
	}
	return nil
}

// product returns a running one. One that ended by itself is an error, which
// scripts would otherwise take for slowness.
func (s *script) product(name string) (*process.Process, error) {
	p := s.products[name]
	if p == nil {
		if p = s.ended[name]; p != nil {
			return p, nil
		}
		return nil, fmt.Errorf("no %q was started", name)
	}
	return p, nil
}
