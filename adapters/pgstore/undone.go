package pgstore

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// tries is how often a statement is made that the server takes back.
const tries = 10

// asker is a pool, or a transaction.
type asker interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// insist has one statement made, and made again when the server takes it back. Where
// the role's default is a stricter isolation than READ COMMITTED, it does so to the
// loser of a race, who then sees that he has lost, and at SERIALIZABLE also to those
// whose runs are merely close in an index, again and again. So it is READ COMMITTED
// from the second time on, which takes a transaction of some round trips.
func (s *Store) insist(ctx context.Context, ask func(asker) error) error {
	err := ask(s.pool)
	for try := 1; try < tries && undone(err); try++ {
		err = pgx.BeginTxFunc(ctx, s.pool, readCommitted(), func(tx pgx.Tx) error { return ask(tx) })
	}
	return err
}

// undone says of an error that the server has taken back the whole statement for
// another's sake, so that the same may be asked again.
func undone(err error) bool {
	code := codeOf(err)
	return code == codeSerialization || code == codeDeadlock
}
