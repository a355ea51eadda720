package search

import (
	"context"
	"io"
	"os"
	"path/filepath"

	"github.com/slicewright/slicewright/app/internal/find/chart"
	"github.com/slicewright/slicewright/app/internal/find/cluster"
	"github.com/slicewright/slicewright/app/internal/find/evidence"
	"github.com/slicewright/slicewright/app/internal/find/manifests"
	"github.com/slicewright/slicewright/app/internal/find/objects"
	"github.com/slicewright/slicewright/app/internal/find/pipeline"
)

// Manifests are a directory or a file of Kubernetes objects.
type Manifests struct {
	// Name is the directory or file, or "-" for Stdin.
	Name  string
	Stdin io.Reader
	// Namespace is given to objects without one; "" is "default".
	Namespace string
	Charts    chart.Options
}

// Doing implements [Source].
func (m Manifests) Doing() string { return "reading objects" }

// Read implements [Source].
func (m Manifests) Read(ctx context.Context, found *pipeline.Found, _ func(string)) error {
	snapshot, coverage, err := m.read(ctx)
	if err != nil {
		coverage.Skipped++
		coverage.Problem(m.Name, err.Error())
	}
	found.Objects = append(found.Objects, pipeline.Objects{Snapshot: snapshot, Coverage: coverage})
	return nil
}

func (m Manifests) read(ctx context.Context) (*objects.Snapshot, evidence.Coverage, error) {
	failed := evidence.Coverage{Source: evidence.SourceObject}
	opts := manifests.Options{Namespace: m.Namespace, Charts: m.Charts}
	if m.Name == "-" {
		snapshot, coverage := manifests.ReadStream("stdin", m.Stdin, opts)
		return snapshot, coverage, nil
	}
	info, err := os.Stat(m.Name)
	if err != nil {
		return nil, failed, err
	}
	if !info.IsDir() {
		f, err := os.Open(m.Name)
		if err != nil {
			return nil, failed, err
		}
		defer f.Close()
		snapshot, coverage := manifests.ReadStream(filepath.Base(m.Name), f, opts)
		return snapshot, coverage, nil
	}
	root, err := os.OpenRoot(m.Name)
	if err != nil {
		return nil, failed, err
	}
	defer root.Close()
	return manifests.Read(ctx, root.FS(), opts)
}

// Cluster is an API server.
type Cluster struct {
	Client *cluster.Client
	// Host names the API server in problems.
	Host    string
	Options cluster.Options
}

// Doing implements [Source].
func (c Cluster) Doing() string { return "reading the cluster" }

// Read implements [Source].
func (c Cluster) Read(ctx context.Context, found *pipeline.Found, progress func(string)) error {
	opts := c.Options
	opts.Progress = func(resource string) { progress("reading " + resource) }
	snapshot, coverage, err := cluster.Read(ctx, c.Client, opts)
	if err != nil {
		coverage.Problem("cluster "+c.Host, err.Error())
	}
	found.Objects = append(found.Objects, pipeline.Objects{Snapshot: snapshot, Coverage: coverage})
	return nil
}
