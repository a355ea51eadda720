package kubeproxy

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/slicewright/slicewright/internal/text"
)

// maxDump bounds what nft may write. A Service port of a thousand endpoints takes
// some 100 KB.
const maxDump = 256 << 20

var errNoTable = errors.New("no such table")

// list runs nft in a network namespace. No shell is in between, and netns is one
// argument whatever it holds.
func list(ctx context.Context, netns, family string) ([]byte, error) {
	nft, err := find("nft", "nftables")
	if err != nil {
		return nil, err
	}
	argv := []string{nft, "-j", "list", "table", family, "kube-proxy"}
	if netns != "" {
		nsenter, err := find("nsenter", "util-linux")
		if err != nil {
			return nil, err
		}
		argv = append([]string{nsenter, "--net=" + netns, "--"}, argv...)
	}
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	cmd.WaitDelay = time.Second
	out, complaint := &limited{most: maxDump}, &limited{most: 4 << 10}
	cmd.Stdout, cmd.Stderr = out, complaint
	switch err := cmd.Run(); {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case out.cut:
		return nil, fmt.Errorf("nft's answer is longer than %d bytes", maxDump)
	case err == nil:
		return out.Bytes(), nil
	case strings.Contains(complaint.String(), "Error: No such file or directory"):
		return nil, errNoTable
	default:
		return nil, fmt.Errorf("%s: %w: %s (reading rules needs CAP_NET_ADMIN there)", strings.Join(argv, " "), err, complaint.line())
	}
}

// find looks for a program in PATH, and where it is when PATH is that of a user
// without rights.
func find(name, debian string) (string, error) {
	for _, path := range []string{name, "/usr/sbin/" + name, "/sbin/" + name} {
		if found, err := exec.LookPath(path); err == nil {
			return found, nil
		}
	}
	return "", fmt.Errorf("the program %s is not installed (Debian: %s)", name, debian)
}

// limited keeps the first bytes that a program writes, and drops what follows.
type limited struct {
	bytes.Buffer
	most int
	cut  bool
}

func (l *limited) Write(p []byte) (int, error) {
	if rest := l.most - l.Len(); len(p) > rest {
		l.cut = true
		l.Buffer.Write(p[:rest])
		return len(p), nil
	}
	return l.Buffer.Write(p)
}

// line is the first line.
func (l *limited) line() string {
	line, _, _ := strings.Cut(strings.TrimSpace(l.String()), "\n")
	return text.Line(line)
}
