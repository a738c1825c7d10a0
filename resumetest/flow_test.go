package resumetest_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph"
)

// read is the data of a journal, each a string.
func read(store agentgraph.Store, run string) ([]string, error) {
	list := []string{}
	for r, err := range store.Read(context.Background(), run, 0) {
		if err != nil {
			return nil, err
		}
		var s string
		if err := json.Unmarshal(r.Data, &s); err != nil {
			return nil, err
		}
		list = append(list, s)
	}
	return list, nil
}

func journal(t *testing.T, store agentgraph.Store, run string) []string {
	t.Helper()
	list, err := read(store, run)
	require.NoError(t, err)
	return list
}

// steps is the smallest flow that can be resumed: it does what its journal lacks,
// a batch at a time, and its result is the journal.
func steps(store agentgraph.Store, run string, ran func(step string), batches ...[]string) ([]string, error) {
	done, err := read(store, run)
	if err != nil {
		return nil, err
	}
	n := 0
	for _, batch := range batches {
		n += len(batch)
		if n <= len(done) {
			continue
		}
		for _, step := range batch {
			ran(step)
		}
		if err := store.Append(context.Background(), run, uint64(len(done)), records(batch...)...); err != nil {
			return done, fmt.Errorf("step %s: %w", batch[0], err)
		}
		done = append(done, batch...)
	}
	return done, nil
}

func uncounted(string) {}

var order = [][]string{{"reserve"}, {"pay", "book"}, {"ship"}}

// stubborn appends until it is in, unless the store is dead.
func stubborn(store agentgraph.Store, run string, dead error, batches [][]string) ([]string, error) {
	for {
		done, err := steps(store, run, uncounted, batches...)
		if err == nil || errors.Is(err, dead) {
			return done, err
		}
	}
}
