//go:build unix

package main

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// asMain makes this test the program itself.
const asMain = "SLICEWRIGHT_TEST_MAIN"

func TestMain(m *testing.M) {
	if os.Getenv(asMain) != "" {
		main()
	}
	os.Exit(m.Run())
}

// slices is a Service to verify.
const slices = `{"apiVersion": "discovery.k8s.io/v1", "kind": "EndpointSlice", "addressType": "IPv4",
"metadata": {"name": "web-a", "namespace": "shop", "labels": {"kubernetes.io/service-name": "web"}},
"ports": [{"name": "", "port": 80}], "endpoints": [{"addresses": ["10.0.0.1"]}]}`

// Who is told to end twice at once, as timeout(1) does it, still ends in order.
func TestTwoSignalsAtOnceAreOne(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "slices.json")
	if err := os.WriteFile(file, []byte(slices), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 10 {
		asked, answer := make(chan struct{}, 100), make(chan struct{})
		server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
			asked <- struct{}{}
			<-answer
		}))
		// A request that is on its way is let end: so long the end takes.
		cmd := exec.Command(self, "verify", "shop/web", "-f", file, "--probe", server.URL, "--probes", "1", "--probe-timeout", "5m", "--for", "10m", "-o", "json")
		cmd.Env = append(os.Environ(), asMain+"=1")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		<-asked
		told := time.Now()
		for range 2 {
			if err := cmd.Process.Signal(os.Interrupt); err != nil {
				t.Error(err)
			}
			time.Sleep(100 * time.Millisecond)
		}
		inTime := time.Since(told) < time.Second
		close(answer)
		_ = cmd.Wait() // its state says more
		server.Close()
		if !inTime {
			continue // the machine was too slow: they were not at once
		}
		if code := cmd.ProcessState.ExitCode(); code != 4 {
			t.Errorf("it ended with %s, want exit status 4", cmd.ProcessState)
		}
		return
	}
	t.Fatal("two signals took longer than a second, ten times")
}

// A program that waits for its stdin ends when it is told so again.
func TestASecondInterruptEnds(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, "backends", "shop/web", "-f", "-")
	cmd.Env = append(os.Environ(), asMain+"=1")
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	// More than a pipe holds: once it is written, the program reads.
	written := make(chan error, 1)
	go func() {
		_, err := io.WriteString(stdin, "# "+string(make([]byte, 1<<20)))
		written <- err
	}()
	select {
	case err := <-written:
		if err != nil {
			t.Fatal(err)
		}
	case <-time.After(time.Minute):
		_ = cmd.Process.Kill()
		t.Fatal("it does not read its stdin")
	}
	for end := time.Now().Add(time.Minute); ; {
		if err := cmd.Process.Signal(os.Interrupt); err != nil && !errors.Is(err, os.ErrProcessDone) {
			t.Error(err)
		}
		select {
		case <-ended:
			status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus)
			if !ok || !status.Signaled() || status.Signal() != syscall.SIGINT {
				t.Errorf("it ended with %s", cmd.ProcessState)
			}
			return
		case <-time.After(50 * time.Millisecond):
		}
		if time.Now().After(end) {
			_ = cmd.Process.Kill()
			t.Fatal("it goes on after many interrupts")
		}
	}
}
