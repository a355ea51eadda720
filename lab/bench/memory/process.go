package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/slicewright/slicewright/internal/slicetest"
)

// synced is what the informer prints when it holds everything.
const synced = "synced"

// A runConfig is what `slicewright run` is started with: four upstreams, all
// namespaces.
type runConfig struct{ dir, file, address string }

func writeConfig() (*runConfig, error) {
	dir, err := os.MkdirTemp("", "slicewright-memory-")
	if err != nil {
		return nil, fmt.Errorf("make a folder: %w", err)
	}
	// Nobody else in the lab's network takes the port in between.
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("find a free port: %w", err)
	}
	c := &runConfig{dir: dir, file: filepath.Join(dir, "config.yaml"), address: listener.Addr().String()}
	listener.Close()

	template := filepath.Join(dir, "hostport.tmpl")
	if err := os.WriteFile(template, []byte("{{ range .Active }}{{ .Endpoint }}\n{{ end }}"), 0o600); err != nil {
		return nil, fmt.Errorf("write the template: %w", err)
	}
	var text strings.Builder
	text.WriteString("apiVersion: slicewright.dev/v1alpha1\nkind: Config\nnamespaces: []\nupstreams:\n")
	for i := range 4 {
		fmt.Fprintf(&text, "- name: service-%05d\n  service: %s/service-%05d\n  port: http\n  to:\n  - template: {source: %s, destination: %s}\n",
			i, slicetest.Namespace, i, template, filepath.Join(dir, fmt.Sprintf("%05d.out", i)))
	}
	if err := os.WriteFile(c.file, []byte(text.String()), 0o600); err != nil {
		return nil, fmt.Errorf("write the configuration: %w", err)
	}
	return c, nil
}

// synced asks /status whether the initial list has been handled.
func (c *runConfig) synced(ctx context.Context) (bool, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+c.address+"/status", nil)
	if err != nil {
		return false, err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return false, nil // not listening yet
	}
	defer answer.Body.Close()
	var status struct{ Synced bool }
	if err := json.NewDecoder(answer.Body).Decode(&status); err != nil {
		return false, fmt.Errorf("read /status: %w", err)
	}
	return status.Synced, nil
}

// measureProcess starts a process, waits until it holds the cluster, and prints
// what it keeps resident: at that moment, and when it has come to rest. Without
// isSynced, the process says so on its standard output.
func measureProcess(ctx context.Context, name string, command *exec.Cmd, isSynced func(context.Context) (bool, error), settle time.Duration) error {
	var said strings.Builder
	command.Stderr = &said
	output, err := command.StdoutPipe()
	if err != nil {
		return err
	}
	began := time.Now()
	if err := command.Start(); err != nil {
		return fmt.Errorf("start: %w", err)
	}
	defer func() {
		_ = command.Process.Kill() // it may have ended
		_ = command.Wait()         // says "killed"
	}()
	if isSynced == nil {
		err = awaitLine(output, synced)
	} else {
		err = wait.PollUntilContextTimeout(ctx, 20*time.Millisecond, 5*time.Minute, true, isSynced)
	}
	if err != nil {
		return fmt.Errorf("wait for the first sync: %w: %s", err, said.String())
	}
	took := time.Since(began)
	first, err := readMemory()
	if err != nil {
		return err
	}
	select { // what is measured is the state after a time, so a time it is
	case <-time.After(settle):
	case <-ctx.Done():
		return ctx.Err()
	}
	rest, err := readMemory()
	if err != nil {
		return err
	}
	fmt.Printf("%-24s %7.1f MB %7.1f MB %7.1f MB %7.1f MB %7.1fs\n",
		name, megabytes(first["VmRSS"]), megabytes(rest["VmRSS"]), megabytes(rest["VmHWM"]), megabytes(rest["RssFile"]), took.Seconds())
	return nil
}

func awaitLine(r io.Reader, line string) error {
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		if lines.Text() == line {
			return nil
		}
	}
	if lines.Err() != nil {
		return lines.Err()
	}
	return errors.New("it ended")
}

// readMemory returns the fields of the only child's /proc/PID/status that are
// in kB. It looks for a child, and not for a number: the lab's processes are in
// a PID namespace of their own, and /proc may be another's.
func readMemory() (map[string]int, error) {
	self, err := readStatus("/proc/self/status")
	if err != nil {
		return nil, err
	}
	files, err := filepath.Glob("/proc/[0-9]*/status")
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		fields, err := readStatus(file)
		if err == nil && fields["PPid"] == self["Pid"] {
			return fields, nil
		}
	}
	return nil, errors.New("read what is resident: the process has ended")
}

// readStatus returns the fields that begin with a number.
func readStatus(file string) (map[string]int, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read what is resident: %w", err)
	}
	fields := map[string]int{}
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(line, ":")
		var number int
		if n, _ := fmt.Sscan(value, &number); n == 1 {
			fields[name] = number
		}
	}
	return fields, nil
}

func megabytes(kilobytes int) float64 { return float64(kilobytes) * 1024 / 1e6 }
