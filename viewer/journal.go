package viewer

import (
	"context"
	"errors"
	"net/http"
	"slices"
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
	mark    mark   // how far it was read
	damage  string // why what follows could not be read; empty for nothing
}

// size is about what a record takes.
func (rec *record) size() int { return rec.mark.size + int(rec.mark.seq)*besides }

// read gives the run that a request names, and reads its journal unless it is as it
// was when it was read last. Of one that is damaged it gives what stands before the
// damage.
func (v *viewer) read(r *http.Request) (*record, error) {
	id := r.FormValue("id")
	if err := agentgraph.CheckRunID(id); err != nil {
		return nil, err
	}
	rec := v.shelf.get(id)
	if rec == nil || !rec.current(r.Context(), v.store) {
		var err error
		if rec, err = readRecord(r.Context(), v.store, id); err != nil {
			return nil, err
		}
		v.keep(rec)
	}
	if len(rec.history.Attempts) == 0 && rec.damage == "" {
		return nil, missing("There is no run %q.", rec.id)
	}
	return rec, nil
}

// keep remembers a run that was read, and tells the list of damage. One that is not
// there is not remembered: anybody can ask for as many of those as they like.
func (v *viewer) keep(rec *record) {
	switch {
	case rec.damage != "":
		v.shelf.forget(rec.id)
		v.catalog.suspect(rec.id)
	case rec.mark.seq == 0:
		v.shelf.forget(rec.id)
	default:
		v.shelf.put(rec)
	}
}

// current says whether the journal has not changed since it was read.
func (rec *record) current(ctx context.Context, store agentgraph.Store) bool {
	for range rec.mark.news(ctx, store, rec.id) { //nolint:errcheck // an error will show when it is read anew
		return false
	}
	return true
}

func readRecord(ctx context.Context, store agentgraph.Store, id string) (*record, error) {
	rec := &record{id: id, history: journal.NewHistory(snapshot.NewKey())}
	for r, err := range store.Read(ctx, id, 0) {
		if err == nil {
			rec.mark.pass(r)
			err = rec.history.Add(r.Kind, r.Seq, r.Time, r.Data)
		}
		switch {
		case err == nil:
		case errors.Is(err, agentgraph.ErrCorrupt), errors.Is(err, journal.ErrMalformed):
			rec.damage = err.Error()
			return rec, nil
		default:
			return nil, err
		}
	}
	return rec, nil
}

// info is what the list says of the run.
func (rec *record) info() agentgraph.RunInfo {
	info := agentgraph.RunInfo{RunID: rec.id, Attempts: len(rec.history.Attempts), Done: rec.history.Executed()}
	if info.Attempts > 0 {
		last := rec.history.Attempts[info.Attempts-1]
		info.Name, info.Began, info.Last = last.Entry.Name, rec.history.Attempts[0].Began, last.Last
		info.Status = rec.statusOf(info.Attempts-1, last.Last)
		if last.End != nil {
			info.Error = last.End.Error
		}
	}
	if rec.damage != "" {
		info.Status, info.Error = damaged, rec.damage
	}
	return info
}

// asks says whether the last attempt has asked for something.
func (rec *record) asks() bool {
	n := len(rec.history.Attempts)
	return n > 0 && slices.ContainsFunc(rec.history.Attempts[n-1].Entries, func(e *journal.Entry) bool { return e.Kind == journal.KindAsk })
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
