//go:build unix

package main

import (
	"errors"
	"io"
	"os"
	"os/exec"
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
