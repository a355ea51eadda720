// Package product builds slicewright itself, for those that run it in a lab.
package product

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
)

// Build compiles slicewright from the checkout that labSource, the folder of
// the lab's module, belongs to, and returns the program's path in the cache.
func Build(ctx context.Context, labSource, cache string) (string, error) {
	program := filepath.Join(cache, "product", "slicewright")
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-o", program, "./cmd/slicewright")
	cmd.Dir = filepath.Dir(labSource)
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build slicewright: %w\n%s", err, out)
	}
	return program, nil
}
