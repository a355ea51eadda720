package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
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

// A process is a process whose memory is measured.
type process struct {
	name    string
	command *exec.Cmd
	// synced reports whether it holds the cluster; nil: its log says so.
	synced func(context.Context) (bool, error)
	// log is where it logs to: JSON, in which "slices" is how many it holds.
	log     string
	atLeast int // slices
}

// measure starts the process, waits until it holds the cluster, and prints what
// it keeps resident: at that moment, and when it has come to rest.
func (p *process) measure(ctx context.Context, settle time.Duration) error {
	log, err := os.Create(p.log)
	if err != nil {
		return fmt.Errorf("make a log: %w", err)
	}
	defer log.Close()
	p.command.Stderr = log
	began := time.Now()
	if err := p.command.Start(); err != nil {
		return fmt.Errorf("start: %w", err)
	}
	defer func() {
		_ = p.command.Process.Kill() // it may have ended
		_ = p.command.Wait()         // says "killed"
	}()
	if err := wait.PollUntilContextTimeout(ctx, 20*time.Millisecond, 5*time.Minute, true, p.isSynced); err != nil {
		text, _ := os.ReadFile(p.log)
		return fmt.Errorf("wait for the first sync: %w: %s", err, text)
	}
	took := time.Since(began)
	first, err := readMemory()
	if err != nil {
		return err
	}
	if n := p.slices(); n < p.atLeast {
		return fmt.Errorf("it holds %d slices of %d", n, p.atLeast)
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
		p.name, megabytes(first["VmRSS"]), megabytes(rest["VmRSS"]), megabytes(rest["VmHWM"]), megabytes(rest["RssFile"]), took.Seconds())
	return nil
}

func (p *process) isSynced(ctx context.Context) (bool, error) {
	if p.synced != nil {
		return p.synced(ctx)
	}
	return p.slices() > 0, nil
}

// slices returns how many slices the process says it holds.
func (p *process) slices() int {
	text, err := os.ReadFile(p.log)
	if err != nil {
		return 0
	}
	for line := range bytes.Lines(text) {
		var entry struct{ Slices int }
		if json.Unmarshal(line, &entry) == nil && entry.Slices > 0 {
			return entry.Slices
		}
	}
	return 0
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
