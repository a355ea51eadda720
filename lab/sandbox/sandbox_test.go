package sandbox

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// roleVar has the test binary be a program that enters a sandbox.
const roleVar = "SANDBOX_TEST_ROLE"

func TestMain(m *testing.M) {
	role := os.Getenv(roleVar)
	if role == "" {
		os.Exit(m.Run())
	}
	Enter("SANDBOX_TEST_GIVEN=yes")
	switch role {
	case "exit-7":
		os.Exit(7)
	case "environment":
		fmt.Println(os.Getenv("SANDBOX_TEST_GIVEN"), os.Getenv(stageVar) == "")
	case "network":
		fmt.Println(useNetwork())
	case "children":
		keepChildren()
	}
	os.Exit(0)
}

// role returns the test binary as a program.
func role(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), roleVar+"="+name)
	cmd.Stderr = os.Stderr
	return cmd
}

func TestSandboxHandsOnTheExitCode(t *testing.T) {
	err := role("exit-7").Run()
	var exited *exec.ExitError
	if !errors.As(err, &exited) || exited.ExitCode() != 7 {
		t.Errorf("got %v, want exit code 7", err)
	}
}

func TestSandboxGivesTheEnvironmentAndHidesItsOwn(t *testing.T) {
	out, err := role("environment").Output()
	if got := strings.TrimSpace(string(out)); err != nil || got != "yes true" {
		t.Errorf("got %q, %v", got, err)
	}
}

// useNetwork says what went wrong with a network that should be ours alone.
func useNetwork() error {
	var addresses Addresses
	for _, text := range []string{"10.42.0.7", "fd42::7"} {
		a := netip.MustParseAddr(text)
		for range 2 { // two holders
			if err := addresses.Add(a); err != nil {
				return err
			}
		}
		// Two holders: after the first let go it is still there.
		for _, there := range []bool{true, true, false} {
			listener, err := net.Listen("tcp", net.JoinHostPort(text, "80"))
			if (err == nil) != there {
				return fmt.Errorf("listen on %s: %v", text, err)
			}
			if err == nil {
				listener.Close()
			}
			if err := addresses.Remove(a); err != nil {
				return err
			}
		}
	}
	return nil
}

func TestAddressesLastUntilTheLastHolderLetsGo(t *testing.T) {
	out, err := role("network").Output()
	if got := strings.TrimSpace(string(out)); err != nil || got != "<nil>" {
		t.Errorf("in the sandbox: %s, %v", got, err)
	}
	if listener, err := net.Listen("tcp", "10.42.0.7:80"); err == nil {
		listener.Close()
		t.Error("the machine's own network has the sandbox's address")
	}
}

// keepChildren starts a child that detaches itself from everything, says so,
// and waits to be killed. The child's argument makes it findable.
func keepChildren() {
	child := exec.Command("sleep", os.Args[1])
	child.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := child.Start(); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("started")
	select {}
}

func TestNothingOutlivesTheSandboxHoweverItEnds(t *testing.T) {
	for i, signal := range []syscall.Signal{syscall.SIGKILL, syscall.SIGTERM, syscall.SIGINT} {
		t.Run(signal.String(), func(t *testing.T) {
			// A duration that no other process sleeps for.
			mark := fmt.Sprintf("%d.%d", 100_000+os.Getpid(), i)
			cmd := role("children", mark)
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			if line, err := bufio.NewReader(out).ReadString('\n'); line != "started\n" {
				t.Fatalf("got %q, %v", line, err)
			}
			if !sleeping(t, mark) {
				t.Fatal("the child is not to be seen, so that its end would prove nothing")
			}
			if err := cmd.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait() // it was killed
			for end := time.Now().Add(20 * time.Second); sleeping(t, mark); {
				if time.Now().After(end) {
					t.Fatal("the child lives on")
				}
				time.Sleep(5 * time.Millisecond)
			}
		})
	}
}

// sleeping reports whether a process runs that sleeps for mark.
func sleeping(t *testing.T, mark string) bool {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		line, err := os.ReadFile(file)
		if err == nil && bytes.Equal(line, []byte("sleep\x00"+mark+"\x00")) {
			return true
		}
	}
	return false
}
