package pgstore

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5/pgconn"
)

// The SQLSTATEs that mean something to a store.
const (
	codeReadOnly      = "25006"
	codePermission    = "42501"
	codeNoTable       = "42P01"
	codeUnique        = "23505"
	codeSerialization = "40001"
	codeDeadlock      = "40P01"
)

func codeOf(err error) string {
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		return pg.Code
	}
	return ""
}

// fault says where an error comes from, and what it means for a store, on one line.
func (s *Store) fault(ctx context.Context, err error) error {
	err = onOneLine(err)
	if s.closed.Load() {
		return fmt.Errorf("%w: %w", errClosed, err)
	}
	if ended := ctx.Err(); ended != nil && !errors.Is(err, ended) {
		err = fmt.Errorf("%w: %w", ended, err)
	}
	switch codeOf(err) {
	case codeReadOnly:
		err = fmt.Errorf("it takes no writes, being a standby or read-only: %w", err)
	case codePermission:
		err = fmt.Errorf("the role may not do this: %w", err)
	case codeNoTable:
		err = fmt.Errorf("the tables are gone, or not in the search path: %w", err)
	}
	return fmt.Errorf("%s: %w", s.where, err)
}
