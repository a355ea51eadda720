// Package product builds slicewright and its example programs, for those that
// run them in a lab.
package product

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// Build compiles slicewright, and the examples that scenarios run beside it,
// from the checkout that labSource, the folder of the lab's module, belongs to.
// It returns the path of slicewright in the cache; the others are in its folder.
func Build(ctx context.Context, labSource, cache string) (string, error) {
	dir := filepath.Join(cache, "product")
	// With a separator at its end, -o is a folder for several programs.
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-o", dir+string(filepath.Separator), "./app/cmd/slicewright", "./examples/producer")
	// The workspace of the checkout, whatever the environment says of another.
	cmd.Env = append(os.Environ(), "GOWORK=")
	cmd.Dir = filepath.Dir(labSource)
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build slicewright: %w\n%s", err, out)
	}
	return filepath.Join(dir, "slicewright"), nil
}
