package pgstore

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// migrations are the forms of the tables, each made of the one before. Forms are only
// ever added. Tables are locked in the order in which statements of the form before
// lock them.
func migrations() []string {
	return []string{`
CREATE TABLE {runs} (
	run  text COLLATE "C" PRIMARY KEY,
	last bigint NOT NULL,
	life uuid NOT NULL
) WITH (fillfactor = 50); -- each append changes a row: room for that beside it
CREATE TABLE {records} (
	run   text COLLATE "C" NOT NULL,
	seq   bigint NOT NULL,
	at    timestamptz NOT NULL, -- has microseconds
	at_ns smallint NOT NULL,    -- and this the nanoseconds beyond
	kind  bytea NOT NULL,       -- a text, which may have a NUL
	data  bytea NOT NULL,       -- a JSON text, every byte as it was given
	PRIMARY KEY (run, seq)
)`, `
LOCK TABLE {runs}, {records};
ALTER TABLE {records} ADD COLUMN life uuid;
UPDATE {records} w SET life = r.life FROM {runs} r WHERE r.run = w.run;
DELETE FROM {records} WHERE life IS NULL;
ALTER TABLE {records} DROP COLUMN run, ALTER life SET NOT NULL, ADD PRIMARY KEY (life, seq);
ALTER TABLE {runs} DROP COLUMN last, RESET (fillfactor);
-- A plan made for a table of one page passes all of its rows, and a connection keeps
-- that plan while the table grows: no statistics before it has grown.
ALTER TABLE {runs} SET (autovacuum_analyze_threshold = 1000, autovacuum_vacuum_threshold = 1000);
ALTER TABLE {records} SET (autovacuum_analyze_threshold = 1000, autovacuum_vacuum_threshold = 1000)`}
}

// schemaLock is held, to the end of a transaction, by whoever changes tables of ours
// in this database.
const schemaLock = 0x61676e7467727068 // "agntgrph"

type querier interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// migrate brings the tables to the newest form. Where that is done already it only
// looks, and needs no more rights than that.
func migrate(ctx context.Context, pool *pgxpool.Pool, sql *statements, existing bool) error {
	newest := len(migrations())
	form, err := formOf(ctx, pool, sql)
	if err != nil || form == newest {
		return err
	}
	if form == 0 && existing {
		return fmt.Errorf("%w: %s is not there", ErrNoTables, sql.made)
	}
	err = pgx.BeginTxFunc(ctx, pool, readCommitted(), func(tx pgx.Tx) error { return change(ctx, tx, sql) })
	if err != nil {
		return fmt.Errorf("make the tables: %w", err)
	}
	return nil
}

// readCommitted lets each statement see what was committed before it, whatever the
// role's default is.
func readCommitted() pgx.TxOptions { return pgx.TxOptions{IsoLevel: pgx.ReadCommitted} }

// formOf is 0 if there are no tables. It reads pg_class, for to_regclass alone may
// remember from before a lock was waited for that there was nothing.
func formOf(ctx context.Context, q querier, sql *statements) (int, error) {
	var there bool
	if err := q.QueryRow(ctx, `SELECT EXISTS (SELECT FROM pg_class WHERE oid = to_regclass($1))`, sql.made).Scan(&there); err != nil || !there {
		return 0, err
	}
	var form int
	if err := q.QueryRow(ctx, `SELECT form FROM `+sql.made).Scan(&form); err != nil {
		return 0, err
	}
	if newest := len(migrations()); form > newest {
		return 0, fmt.Errorf("%s says form %d, made by a newer version of this package, which knows up to %d", sql.made, form, newest)
	}
	return form, nil
}

// change makes all changes that are due, one process at a time.
func change(ctx context.Context, tx pgx.Tx, sql *statements) error {
	if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock($1)`, int64(schemaLock)); err != nil {
		return err
	}
	if err := makeSchema(ctx, tx, sql.schema); err != nil {
		return err
	}
	form, err := formOf(ctx, tx, sql) // another may have been first
	if err != nil {
		return err
	}
	if form == 0 {
		_, err = tx.Exec(ctx, `CREATE TABLE `+sql.made+` AS SELECT 0 AS form`)
		if err != nil {
			return err
		}
	}
	fill := strings.NewReplacer("{runs}", sql.runs, "{records}", sql.record).Replace
	for _, step := range migrations()[form:] {
		if _, err := tx.Exec(ctx, fill(step), pgx.QueryExecModeSimpleProtocol); err != nil {
			return err
		}
	}
	_, err = tx.Exec(ctx, `UPDATE `+sql.made+` SET form = $1`, len(migrations()))
	return err
}

// makeSchema does not use IF NOT EXISTS, which asks for the right to make one even
// where there is one.
func makeSchema(ctx context.Context, tx pgx.Tx, name string) error {
	if name == "" {
		return nil
	}
	var there bool
	row := tx.QueryRow(ctx, `SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = $1)`, name)
	if err := row.Scan(&there); err != nil || there {
		return err
	}
	_, err := tx.Exec(ctx, `CREATE SCHEMA `+pgx.Identifier{name}.Sanitize())
	return err
}
