package conformance

import (
	"context"
	"fmt"
	"os/exec"
	"path"
	"path/filepath"
	"strings"

	"github.com/slicewright/slicewright/lab/gobuild"
)

// Programs builds what consumers need and the lab's own readers, and returns
// the path of each by the consumer's name, and the readers'. It has to be called
// where there is a network: before the sandbox.
func Programs(ctx context.Context, consumers []*Consumer, labSource string, cache gobuild.Cache) (programs map[string]string, reader string, err error) {
	programs = map[string]string{}
	for _, c := range consumers {
		if c.Build == nil {
			continue
		}
		name := path.Base(c.Build.Package)
		if name == "." {
			name = filepath.Base(c.Build.Dir)
		}
		p := gobuild.Program{Name: name, Title: name, Dir: c.Build.Dir, Package: c.Build.Package}
		if c.Build.Tags != "" {
			p.Tags = strings.Split(c.Build.Tags, ",")
		}
		if programs[c.Name], err = cache.Program(ctx, p); err != nil {
			return nil, "", err
		}
	}
	// Its dependencies are the lab's: go's own cache is enough.
	reader = filepath.Join(cache.Dir, "product", "conformance-reader")
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-o", reader, "./conformance/reader")
	cmd.Dir = labSource
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, "", fmt.Errorf("build the lab's readers: %w\n%s", err, out)
	}
	return programs, reader, nil
}
