package process

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Resident is the resident memory of the program itself in bytes, 0 when it is
// not known.
func (p *Process) Resident() int64 {
	pid, err := procPID(p.Pid())
	if err != nil {
		return 0
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	return resident(status)
}

// procPID translates a PID of our namespace into the one that /proc has it
// under: a sandbox has its own PIDs but the machine's /proc. The kernel tells
// through a pidfd.
func procPID(pid int) (int, error) {
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return 0, err
	}
	defer unix.Close(fd)
	info, err := os.ReadFile(fmt.Sprintf("/proc/self/fdinfo/%d", fd))
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(field(info, "Pid"))
}

// field returns the value of a "Name:\tvalue" line.
func field(content []byte, name string) string {
	lines := bufio.NewScanner(bytes.NewReader(content))
	for lines.Scan() {
		if key, value, ok := strings.Cut(lines.Text(), ":"); ok && key == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// OuterPID is the calling process's PID as the machine's /proc has it, which
// inside a sandbox is not os.Getpid.
func OuterPID() (int, error) { return procPID(os.Getpid()) }

// OwnResident is the resident memory of the calling process in bytes, 0 when
// it is not known.
func OwnResident() int64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	return resident(status)
}

func resident(status []byte) int64 {
	kb, _ := strconv.ParseInt(strings.TrimSuffix(field(status, "VmRSS"), " kB"), 10, 64)
	return kb << 10
}
