package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"

	_ "modernc.org/sqlite" // the driver "sqlite"
)

// Errors that callers tell apart.
var (
	// ErrNotARecording: the file is something else.
	ErrNotARecording = errors.New("not a slicewright recording")
	// ErrVersion: the recording has another schema version.
	ErrVersion = errors.New("recording of another version")
)

var errForeign = fmt.Errorf("%w: it is a SQLite database of another program", ErrNotARecording)

// createFile makes a new, empty recording, or opens the one that is there.
func createFile(ctx context.Context, path string) (*sql.DB, error) {
	created, err := touch(path)
	if err != nil {
		return nil, err
	}
	if !created {
		// Opening it to write turns its log on, for good: first see that it is ours.
		if err := refuseForeign(ctx, path); err != nil {
			return nil, err
		}
	}
	db, err := openSQLite(path, url.Values{
		"_pragma": {
			"busy_timeout(5000)", "journal_mode(WAL)", "synchronous(NORMAL)",
			// Keeps the log below 8 MiB when no reader holds it back.
			"wal_autocheckpoint(1000)", "journal_size_limit(8388608)",
		},
		"_txlock": {"immediate"},
	})
	if err != nil {
		return nil, err
	}
	if created {
		err = createSchema(ctx, db)
	} else {
		err = checkVersion(ctx, db)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", path, err), db.Close())
	}
	return db, nil
}

// refuseForeign returns an error if a file is another program's, or of another
// version. It changes nothing. What it cannot tell without writing, such as after
// a crash, is no error: the version is looked at once more.
func refuseForeign(ctx context.Context, path string) error {
	db, err := openForReading(ctx, path)
	switch {
	case err == nil:
		return db.Close()
	case errors.Is(err, errForeign), errors.Is(err, ErrVersion):
		return err
	}
	return nil
}

// touch makes the file, readable by its owner alone: a recording names Pods,
// Nodes and addresses. It reports whether it is new; an empty file is.
func touch(path string) (created bool, err error) {
	info, err := os.Stat(path)
	switch {
	case err == nil && !info.Mode().IsRegular():
		return false, fmt.Errorf("open %s: not a regular file", path)
	case err == nil:
		return info.Size() == 0, nil
	case !errors.Is(err, fs.ErrNotExist):
		return false, err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return false, err
	}
	return true, f.Close()
}

func createSchema(ctx context.Context, db *sql.DB) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	ddl := append(statements(),
		fmt.Sprintf("PRAGMA application_id = %d", applicationID),
		fmt.Sprintf("PRAGMA user_version = %d", Version),
	)
	for _, statement := range ddl {
		if _, err := tx.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("create the schema: %w", err)
		}
	}
	return tx.Commit()
}

func checkVersion(ctx context.Context, db *sql.DB) error {
	var id, version int64
	if err := db.QueryRowContext(ctx, "PRAGMA application_id").Scan(&id); err != nil {
		return fmt.Errorf("%w: %w", ErrNotARecording, err)
	}
	if id != applicationID {
		return errForeign
	}
	if err := db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
		return err
	}
	if version != Version {
		return fmt.Errorf("%w: its schema has version %d, this program reads version %d; use the slicewright that wrote it",
			ErrVersion, version, Version)
	}
	return nil
}

// openForReading opens an existing recording without changing it.
func openForReading(ctx context.Context, path string) (*sql.DB, error) {
	if info, err := os.Stat(path); err != nil {
		return nil, err
	} else if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("open %s: not a regular file", path)
	}
	db, err := openSQLite(path, url.Values{"mode": {"ro"}, "_pragma": {"busy_timeout(5000)"}})
	if err != nil {
		return nil, err
	}
	err = checkVersion(ctx, db)
	if err == nil {
		return db, nil
	}
	err = errors.Join(fmt.Errorf("open %s: %w", path, err), db.Close())
	if errors.Is(err, ErrVersion) {
		return nil, err
	}
	// Even a reader needs a shared-memory file beside a database in WAL mode. On a
	// full disk or in a folder without write permission it cannot be made.
	if db := openWithoutSharedMemory(ctx, path); db != nil {
		return db, nil
	}
	return nil, err
}

// openWithoutSharedMemory opens a recording that nobody writes, with the log's
// index in memory alone. It returns nil where that does not work either.
func openWithoutSharedMemory(ctx context.Context, path string) *sql.DB {
	query := url.Values{"_pragma": {"locking_mode(EXCLUSIVE)", "query_only(1)"}}
	if _, err := os.Stat(path + "-wal"); errors.Is(err, fs.ErrNotExist) {
		query = url.Values{"mode": {"ro"}, "immutable": {"1"}}
	}
	db, err := openSQLite(path, query)
	if err != nil {
		return nil
	}
	if checkVersion(ctx, db) != nil {
		db.Close()
		return nil
	}
	return db
}

// openSQLite opens a path that may hold any character.
func openSQLite(path string, query url.Values) (*sql.DB, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	dsn := (&url.URL{Scheme: "file", OmitHost: true, Path: filepath.ToSlash(abs), RawQuery: query.Encode()}).String()
	db, err := sql.Open("sqlite", dsn)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	// One connection: a transaction, its statements and its pragmas stay together.
	db.SetMaxOpenConns(1)
	return db, nil
}
