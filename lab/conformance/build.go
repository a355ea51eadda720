package conformance

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"

	"github.com/slicewright/slicewright/lab/controlplane"
	"github.com/slicewright/slicewright/lab/gobuild"
	"github.com/slicewright/slicewright/lab/product"
)

// Built is what was built for a run, where there is a network: before the
// sandbox.
type Built struct {
	ControlPlane controlplane.Programs `json:"controlPlane"`
	Slicewright  string                `json:"slicewright"`
	// Reader is the lab's own readers.
	Reader string `json:"reader"`
	// Consumers are what each consumer's Build made, by the consumer's name.
	Consumers map[string]string `json:"consumers"`
}

// BuildAll builds, from the checkout that labSource is the lab's module of, what
// is not in the cache: the control plane, the product, the readers, and what
// consumers need.
func BuildAll(ctx context.Context, labSource string, cache gobuild.Cache, consumers []*Consumer) (b Built, err error) {
	b.ControlPlane.Assets = os.Getenv("KUBEBUILDER_ASSETS")
	b.ControlPlane.MultiCall, err = controlplane.Build{
		Source: labSource, Cache: cache.Dir, Progress: cache.Progress, Terminal: cache.Terminal,
	}.Program(ctx)
	if err != nil {
		return b, err
	}
	if b.Slicewright, err = product.Build(ctx, labSource, cache.Dir); err != nil {
		return b, err
	}
	// Its dependencies are the lab's: go's own cache is enough.
	b.Reader = filepath.Join(cache.Dir, "product", "conformance-reader")
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-o", b.Reader, "./conformance/reader")
	cmd.Dir = labSource
	if out, err := cmd.CombinedOutput(); err != nil {
		return b, fmt.Errorf("build the lab's readers: %w\n%s", err, out)
	}
	b.Consumers = map[string]string{}
	for _, c := range consumers {
		if c.Build == nil {
			continue
		}
		if b.Consumers[c.Name], err = cache.Program(ctx, c.Build.program()); err != nil {
			return b, err
		}
	}
	return b, nil
}

func (b *Build) program() gobuild.Program {
	name := path.Base(b.Package)
	if name == "." {
		name = filepath.Base(b.Dir)
	}
	p := gobuild.Program{Name: name, Title: name, Dir: b.Dir, Package: b.Package}
	if b.Tags != "" {
		p.Tags = strings.Split(b.Tags, ",")
	}
	return p
}
