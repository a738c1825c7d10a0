package otelobserver

import (
	"context"
	"errors"
	"time"

	"go.opentelemetry.io/otel/metric"

	"github.com/seed-a2b66b4f/agentgraph"
)

// Store is the store with its appends measured. A conflict has a status of its own:
// somebody else wrote.
func (o *Observer) Store(s agentgraph.Store) agentgraph.Store { return store{s, o} }

type store struct {
	agentgraph.Store
	observer *Observer
}

func (s store) Append(ctx context.Context, runID string, after uint64, records ...agentgraph.Record) error {
	began := time.Now()
	err := s.Store.Append(ctx, runID, after, records...)
	s.observer.appendTime.Record(ctx, time.Since(began).Seconds(), metric.WithAttributes(statusKey.String(outcome(err))))
	if err == nil {
		s.observer.records.Add(ctx, int64(len(records)))
	}
	return err
}

// outcome is how an append ended.
func outcome(err error) string {
	switch {
	case err == nil:
		return "done"
	case errors.Is(err, agentgraph.ErrConflict):
		return "conflict"
	}
	return "error"
}
