package incluster

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
)

// enteredVar tells a program that it is inside already.
const enteredVar = "SLICEWRIGHT_IN_CLUSTER"

const accountFolder = "secrets/kubernetes.io/serviceaccount"

// Enter returns in the same process once it is inside: the program is executed
// again, with a /var/run of its own that holds the account's token, certificate
// and namespace. Nothing of it is left when the process ends, however it ends.
// It has to be root of its user namespace, as everything in a lab is.
//
// Call it first thing in main.
func Enter(ctx context.Context, account Account) error {
	if os.Getenv(enteredVar) != "" {
		return nil
	}
	found, err := account.create(ctx)
	if err != nil {
		return err
	}
	// The new mount namespace is that of this thread alone, until the program is
	// executed from it and becomes the whole process.
	runtime.LockOSThread()
	if err := syscall.Unshare(syscall.CLONE_NEWNS); err != nil {
		return fmt.Errorf("make a mount namespace (run inside a lab, or as root): %w", err)
	}
	if err := found.write(); err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find the running program: %w", err)
	}
	env := append(os.Environ(), enteredVar+"=1", "KUBERNETES_SERVICE_HOST="+found.Host, "KUBERNETES_SERVICE_PORT="+found.Port)
	return fmt.Errorf("execute %s again: %w", self, syscall.Exec(self, os.Args, env))
}

// write puts the files where containers have them, visible to this mount
// namespace alone.
func (c *credentials) write() error {
	// What is mounted here must not show outside.
	if err := syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("make mounts private: %w", err)
	}
	run, err := filepath.EvalSymlinks("/var/run")
	if err != nil {
		return fmt.Errorf("find /var/run: %w", err)
	}
	if err := syscall.Mount("tmpfs", run, "tmpfs", 0, "size=1m"); err != nil {
		return fmt.Errorf("mount a file system on %s: %w", run, err)
	}
	folder := filepath.Join(run, accountFolder)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return fmt.Errorf("make the account's folder: %w", err)
	}
	for name, content := range map[string][]byte{"token": c.Token, "ca.crt": c.CA, "namespace": c.NamespaceFile} {
		if err := os.WriteFile(filepath.Join(folder, name), content, 0o600); err != nil {
			return fmt.Errorf("write the account's files: %w", err)
		}
	}
	return nil
}
