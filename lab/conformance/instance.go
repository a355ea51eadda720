package conformance

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/slicewright/slicewright/lab/process"
)

// values are what placeholders stand for.
type values map[string]string

// fill replaces the placeholders of a text. One without a value is an error
// that wraps errNoValue.
func (v values) fill(text string) (string, error) {
	var missing string
	filled := placeholderForm.ReplaceAllStringFunc(text, func(found string) string {
		value, ok := v[found[2:len(found)-1]]
		if !ok {
			missing = found
		}
		return value
	})
	if missing != "" {
		return "", fmt.Errorf("%s %w", missing, errNoValue)
	}
	return filled, nil
}

var errNoValue = fmt.Errorf("has no value here")

func (v values) fillAll(texts []string) ([]string, error) {
	filled := make([]string, len(texts))
	for i, text := range texts {
		var err error
		if filled[i], err = v.fill(text); err != nil {
			return nil, err
		}
	}
	return filled, nil
}

// instance is a consumer that runs.
type instance struct {
	consumer  *Consumer
	values    values
	dir       string
	processes []*process.Process // as in consumer.Start; nil before the start
	// component restarts a component of the control plane.
	component func(ctx context.Context, name string, flags ...string) error
}

// startPatience is how long a program may take until it is up, ten times what
// it takes on a loaded machine.
const startPatience = 90 * time.Second

// start writes the files and starts all programs, one after another.
func (i *instance) start(ctx context.Context) error {
	if i.consumer.Component != "" {
		return i.component(ctx, i.consumer.Component)
	}
	for name, content := range i.consumer.Files {
		filled, err := i.values.fill(content)
		if err != nil {
			return fmt.Errorf("%s: file %s: %w", i.consumer.Name, name, err)
		}
		path := filepath.Join(i.dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return fmt.Errorf("%s: %w", i.consumer.Name, err)
		}
		if err := os.WriteFile(path, []byte(filled), 0o644); err != nil {
			return fmt.Errorf("%s: %w", i.consumer.Name, err)
		}
	}
	i.processes = make([]*process.Process, len(i.consumer.Start))
	for n := range i.consumer.Start {
		if err := i.startOne(ctx, n); err != nil {
			return err
		}
	}
	return nil
}

func (i *instance) startOne(ctx context.Context, n int) error {
	program := i.consumer.Start[n]
	name := i.consumer.Name + "/" + program.Name
	argv, err := i.values.fillAll(program.Argv)
	if err != nil {
		return fmt.Errorf("%s: argv: %w", name, err)
	}
	env, err := i.values.fillAll(program.Env)
	if err != nil {
		return fmt.Errorf("%s: env: %w", name, err)
	}
	ready, err := i.values.fill(program.Ready)
	if err != nil {
		return fmt.Errorf("%s: ready: %w", name, err)
	}
	path, err := exec.LookPath(argv[0])
	if err != nil {
		return fmt.Errorf("%s: %w: run 'make deps'", name, err)
	}
	p, err := process.Start(process.Spec{
		Name: name, Path: path, Args: argv[1:], Env: env, Dir: i.dir, Log: filepath.Join(i.dir, program.Name+".log"),
	})
	if err != nil {
		return err
	}
	i.processes[n] = p
	return awaitReady(ctx, p, ready)
}

// restart ends the programs that are not to be kept, as kill -9 does, and
// starts them again.
func (i *instance) restart(ctx context.Context) error {
	if i.consumer.Component != "" {
		return i.component(ctx, i.consumer.Component)
	}
	for n, program := range i.consumer.Start {
		if !program.Keep {
			i.processes[n].Kill()
		}
	}
	for n, program := range i.consumer.Start {
		if program.Keep {
			continue
		}
		if err := i.startOne(ctx, n); err != nil {
			return err
		}
	}
	return nil
}

// stop ends what was started, last first.
func (i *instance) stop() {
	for n := len(i.processes) - 1; n >= 0; n-- {
		if p := i.processes[n]; p != nil {
			p.Kill()
		}
	}
}

// ended says which program has ended by itself, nil if all run.
func (i *instance) ended() error {
	for _, p := range i.processes {
		if p != nil && !p.Running() {
			return fmt.Errorf("%s ended by itself (%v); the end of its log:\n%s", p.Spec().Name, p.Err(), p.LogTail(1500))
		}
	}
	return nil
}

// awaitReady waits until a program says that it is up; see Program.Ready.
func awaitReady(ctx context.Context, p *process.Process, ready string) error {
	ctx, cancel := context.WithTimeoutCause(ctx, startPatience, fmt.Errorf("not within %s", startPatience))
	defer cancel()
	ticker := time.NewTicker(50 * time.Millisecond)
	defer ticker.Stop()
	for {
		err := isReady(ctx, ready)
		if err == nil && p.Running() {
			return nil
		}
		select {
		case <-p.Done():
			return fmt.Errorf("%s ended (%v); the end of its log:\n%s", p.Spec().Name, p.Err(), p.LogTail(1500))
		case <-ctx.Done():
			return fmt.Errorf("%s is not up (%w): %w; the end of its log:\n%s", p.Spec().Name, context.Cause(ctx), err, p.LogTail(1500))
		case <-ticker.C:
		}
	}
}

func isReady(ctx context.Context, ready string) error {
	kind, rest, _ := strings.Cut(ready, ":")
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	switch kind {
	case "":
		return nil
	case "file":
		_, err := os.Stat(rest)
		return err
	case "tcp":
		var d net.Dialer
		conn, err := d.DialContext(ctx, "tcp", rest)
		if err != nil {
			return err
		}
		return conn.Close()
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, ready, nil)
	if err != nil {
		return err
	}
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	answer, err := client.Do(request)
	if err != nil {
		return err
	}
	answer.Body.Close()
	if answer.StatusCode >= 400 {
		return fmt.Errorf("%s: %s", ready, answer.Status)
	}
	return nil
}
