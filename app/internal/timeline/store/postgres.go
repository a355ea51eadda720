package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
)

// openPostgres opens a server's database. One database (or one search_path) is
// one recording. With create it makes the tables if they are missing.
func openPostgres(ctx context.Context, name string, create bool) (*sql.DB, error) {
	config, err := pgx.ParseConfig(name)
	if err != nil {
		// The error may quote the URL, and the URL may hold a password.
		return nil, fmt.Errorf("open %s: the URL cannot be read", DisplayName(name))
	}
	db := stdlib.OpenDB(*config)
	db.SetMaxOpenConns(1)
	if create {
		err = createPostgresSchema(ctx, db)
	}
	if err == nil {
		err = checkPostgresVersion(ctx, db)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", DisplayName(name), err), db.Close())
	}
	return db, nil
}

func createPostgresSchema(ctx context.Context, db *sql.DB) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, postgres.lock); err != nil {
		return err
	}
	var there bool
	if err := tx.QueryRowContext(ctx, `SELECT to_regclass('meta') IS NOT NULL`).Scan(&there); err != nil {
		return err
	}
	if there {
		return nil
	}
	for _, statement := range statements() {
		statement = strings.ReplaceAll(statement, "WITHOUT ROWID", "")
		if _, err := tx.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("create the schema: %w", err)
		}
	}
	if _, err := tx.ExecContext(ctx, `INSERT INTO meta VALUES ('slicewright schema', $1)`, fmt.Sprint(Version)); err != nil {
		return err
	}
	return tx.Commit()
}

func checkPostgresVersion(ctx context.Context, db *sql.DB) error {
	var there bool
	if err := db.QueryRowContext(ctx, `SELECT to_regclass('meta') IS NOT NULL AND to_regclass('segment') IS NOT NULL`).Scan(&there); err != nil {
		return err
	}
	if !there {
		return fmt.Errorf("%w: the database has no tables of one", ErrNotARecording)
	}
	var version string
	err := db.QueryRowContext(ctx, `SELECT value FROM meta WHERE name = 'slicewright schema'`).Scan(&version)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return fmt.Errorf("%w: its tables are of another program", ErrNotARecording)
	case err != nil:
		return err
	case version != fmt.Sprint(Version):
		return fmt.Errorf("%w: its schema has version %s, this program reads version %d; use the slicewright that wrote it",
			ErrVersion, version, Version)
	}
	return nil
}
