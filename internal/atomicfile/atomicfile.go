// Package atomicfile replaces files in one step.
package atomicfile

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"
)

// Write replaces the file at path with data, or makes it. After a crash at any
// moment the file has the old content or the new content, and after Write has
// returned nil it has the new content.
//
// A file that exists keeps its permissions; a new file gets perm without the bits
// of the umask. The owner becomes the user of the process. A symbolic link at path
// is replaced by a file, and the file that it led to keeps its content: give the
// file itself to change it.
//
// The new content is written to a hidden file beside path first. The folder must
// therefore be writable. An error leaves the old content and no hidden file, except
// an error of syncing the folder: the new content is then in place, and may be lost
// in a crash.
//
// Write may be called from any goroutine. The last of several calls for one path
// wins, whole.
func Write(path string, data []byte, perm os.FileMode) error {
	folder := filepath.Dir(path)
	// Without a folder renameio tries out whether it can rename from the system's
	// temporary folder, which costs two files and may be another user's.
	if err := renameio.WriteFile(path, data, perm, renameio.WithTempDir(folder)); err != nil {
		return err
	}
	return SyncFolder(folder)
}

// SyncFolder brings what was made, renamed or removed in a folder to the disk. The
// sync of a file does not do that.
func SyncFolder(path string) error {
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}
