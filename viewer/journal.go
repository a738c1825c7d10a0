package viewer

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/internal/journal"
	"github.com/seed-a2b66b4f/agentgraph/internal/snapshot"
)

// record is a run as its journal tells of it.
type record struct {
	id      string
	history *journal.History
	seq     uint64
	last    time.Time
	damage  string // why what follows could not be read; empty for nothing
}

// read reads the journal of the run that a request names. Of one that is damaged it
// gives what stands before the damage.
func (v *viewer) read(r *http.Request) (*record, error) {
	rec := &record{id: r.FormValue("id"), history: journal.NewHistory(snapshot.NewKey())}
	if err := agentgraph.CheckRunID(rec.id); err != nil {
		return nil, err
	}
	if err := rec.fill(r.Context(), v.store); err != nil {
		return nil, err
	}
	if len(rec.history.Attempts) == 0 && rec.damage == "" {
		return nil, missing("There is no run %q.", rec.id)
	}
	return rec, nil
}

func (rec *record) fill(ctx context.Context, store agentgraph.Store) error {
	for r, err := range store.Read(ctx, rec.id, 0) {
		if err == nil {
			rec.seq, rec.last = r.Seq, r.Time
			err = rec.history.Add(r.Kind, r.Seq, r.Time, r.Data)
		}
		switch {
		case err == nil:
		case errors.Is(err, agentgraph.ErrCorrupt), errors.Is(err, journal.ErrMalformed):
			rec.damage = err.Error()
			return nil
		default:
			return err
		}
	}
	return nil
}

// status is how the run stands.
func (rec *record) status(now time.Time) agentgraph.RunStatus {
	if rec.damage != "" {
		return damaged
	}
	return rec.statusOf(len(rec.history.Attempts)-1, now)
}

// statusOf is how an attempt ended. One that is not the last and did not end was
// killed.
func (rec *record) statusOf(attempt int, now time.Time) agentgraph.RunStatus {
	a := rec.history.Attempts[attempt]
	last := attempt == len(rec.history.Attempts)-1
	switch {
	case a.End != nil && last && a.End.Status == journal.Waits && rec.history.AnsweredAfter(a.End.Seq):
		return agentgraph.RunAnswered
	case a.End != nil:
		return ended(a.End.Status)
	case !last:
		return agentgraph.RunInterrupted
	}
	return agentgraph.RunInfo{Status: agentgraph.RunRunning, Last: a.Last}.StatusAt(now)
}

// attempt is the number, from 0, that a request asks for: the last one if it does
// not say.
func (rec *record) attempt(r *http.Request) (int, error) {
	n := number(r, "attempt", len(rec.history.Attempts))
	if n < 1 || n > len(rec.history.Attempts) {
		return 0, missing("Run %q has no attempt %d.", rec.id, n)
	}
	return n - 1, nil
}

// place is the text of an index: "0.1.2".
func place(index []int) string {
	var b strings.Builder
	for i, n := range index {
		if i > 0 {
			b.WriteByte('.')
		}
		b.WriteString(itoa(n))
	}
	return b.String()
}

// find returns the node at a place, or nil.
func find(nodes []*journal.Node, at string) *journal.Node {
	for _, n := range nodes {
		own := place(n.Index)
		if own == at {
			return n
		}
		if strings.HasPrefix(at, own+".") {
			return find(n.Children, at)
		}
	}
	return nil
}
