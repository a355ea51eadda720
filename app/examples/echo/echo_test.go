package main

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/slicewright/slicewright/app/internal/verify/hold"
)

// The program is held in all three ways, asked to end, and says goodbye or cuts.
func TestProgramIsHeldAndEnds(t *testing.T) {
	program := filepath.Join(t.TempDir(), "echo")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for mode, want := range map[string]string{"--cut=false": "fin close-frame end-stream", "--cut": "rst rst rst"} {
		cmd := exec.Command(program, "--listen=127.0.0.1:0", "--name=web-1", "--linger=0s", mode)
		cmd.Stderr = os.Stderr
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		line, err := bufio.NewReader(out).ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		address := strings.TrimSpace(strings.TrimPrefix(line, "listening on "))
		var targets []*hold.Target
		for _, scheme := range []string{"tcp", "ws", "h2c"} {
			target, err := hold.Parse(scheme+"://"+address, hold.Options{Every: time.Hour, Timeout: 30 * time.Second})
			if err != nil {
				t.Fatal(err)
			}
			targets = append(targets, target)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		r := hold.Run(ctx, targets, func(hold.Report) { _ = cmd.Process.Signal(syscall.SIGTERM) })
		cancel()
		var got []string
		for _, c := range r.Connections {
			got = append(got, string(c.End.Kind))
			if c.Holder.Name != "web-1" {
				t.Errorf("held by %s", c.Holder)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: ended with %v, want %s", mode, got, want)
		}
		if err := cmd.Wait(); err != nil {
			t.Errorf("%s: %v", mode, err)
		}
	}
}
