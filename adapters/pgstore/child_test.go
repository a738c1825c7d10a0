package pgstore_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/adapters/pgstore"
)

// child opens a store that nobody may have opened before, and appends after whatever
// others have.
func child(url string) error {
	ctx := context.Background()
	s, err := pgstore.Open(ctx, url, &pgstore.Options{Schema: "new"})
	if err != nil {
		return err
	}
	defer s.Close()
	for after := uint64(0); ; after++ {
		err := s.Append(ctx, "run", after, note(int(after)))
		if !errors.Is(err, agentgraph.ErrConflict) {
			return err
		}
	}
}

// TestTenProcesses open a store in an empty database at once.
func TestTenProcesses(t *testing.T) {
	if left(t) {
		return
	}
	const n = 10
	url := shared.url(newDatabase(t, shared))
	var all sync.WaitGroup
	for range n {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "PGSTORE_CHILD="+url)
		all.Go(func() {
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	all.Wait()
	requireNotes(t, openURL(t, url, &pgstore.Options{Schema: "new"}), "run", n)
}

// TestManyOpen is the same within one process, where the tables of two prefixes are
// made in one new schema at once.
func TestManyOpen(t *testing.T) {
	if left(t) {
		return
	}
	url := shared.url(newDatabase(t, shared))
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			s, err := pgstore.Open(context.Background(), url+"&pool_max_conns=1", &pgstore.Options{Schema: "new", Prefix: fmt.Sprintf("p%d_", i%2)})
			if err != nil {
				t.Errorf("open: %v", err)
				return
			}
			if err := s.Close(); err != nil {
				t.Errorf("close: %v", err)
			}
		})
	}
	all.Wait()
	s := openURL(t, url, &pgstore.Options{Schema: "new", Prefix: "p1_"})
	require.NoError(t, s.Append(context.Background(), "run", 0, note(0)))
}

// TestTablesAtOnce is the same without a schema of their own, where nothing but the
// tables is looked up after the lock.
func TestTablesAtOnce(t *testing.T) {
	if left(t) {
		return
	}
	url := shared.url(newDatabase(t, shared))
	for round := range 20 {
		options := &pgstore.Options{Prefix: fmt.Sprintf("at_once_%d_", round)}
		errs := make([]error, 8)
		var all sync.WaitGroup
		for i := range errs {
			all.Go(func() {
				s, err := pgstore.Open(context.Background(), url, options)
				if errs[i] = err; err == nil {
					errs[i] = s.Close()
				}
			})
		}
		all.Wait()
		require.Equal(t, make([]error, 8), errs)
	}
}
