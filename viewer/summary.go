package viewer

import (
	"context"
	"errors"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/internal/journal"
)

// damaged is the status of a run whose journal cannot be read to its end.
const damaged agentgraph.RunStatus = "damaged"

// summary is what the list shows of a run. It is kept from one look to the next.
type summary struct {
	agentgraph.RunInfo
	Asks bool // it has asked for something in the last attempt

	mark    mark          // how far the journal was read
	skim    *journal.Skim // nil if only the whole history can tell
	checked int           // which look was the last one at the journal; 0 for none
}

func newSummary(id string) summary {
	return summary{RunInfo: agentgraph.RunInfo{RunID: id}, skim: journal.NewSkim()}
}

// errUnsure: the journal is an unusual one, or damaged.
var errUnsure = errors.New("not sure")

// update takes in what the journal has beyond what is known, as the page of the run
// would. It costs that and one record more; the whole journal where it is an unusual
// one, and where it was damaged.
func (s *summary) update(ctx context.Context, store agentgraph.Store) error {
	if s.Status == damaged {
		*s = newSummary(s.RunID)
	}
	err := s.read(ctx, store)
	if errors.Is(err, errOther) {
		*s = newSummary(s.RunID)
		err = s.read(ctx, store)
	}
	switch {
	case errors.Is(err, errUnsure):
		return s.judge(ctx, store)
	case errors.Is(err, agentgraph.ErrCorrupt):
		s.Status, s.Error = damaged, err.Error()
		return nil
	}
	return err
}

func (s *summary) read(ctx context.Context, store agentgraph.Store) error {
	for r, err := range s.mark.news(ctx, store, s.RunID) {
		if err != nil {
			return err
		}
		if s.skim == nil || !s.take(r) {
			return errUnsure
		}
		s.mark.pass(r)
	}
	return nil
}

// judge reads the journal as the page of the run does.
func (s *summary) judge(ctx context.Context, store agentgraph.Store) error {
	rec, err := readRecord(ctx, store, s.RunID)
	if err != nil {
		return err
	}
	*s = summary{RunInfo: rec.info(), Asks: rec.asks(), mark: rec.mark}
	return nil
}

// take takes in a record, if it is sure that it makes sense.
func (s *summary) take(r agentgraph.Record) bool {
	g, sure := s.skim.Add(r.Kind, r.Data)
	if !sure {
		return false
	}
	switch {
	case r.Kind == journal.KindAttempt:
		s.begin(r, g.Name)
	case g.Own:
		s.goOn(r, g)
	case r.Kind == journal.KindAnswer && s.Status == agentgraph.RunWaiting:
		s.Status = agentgraph.RunAnswered
	}
	return true
}

func (s *summary) begin(r agentgraph.Record, name string) {
	if s.Attempts == 0 {
		s.Began = r.Time
	}
	s.Attempts++
	s.Name, s.Last = name, r.Time
	s.Status, s.Error, s.Asks = agentgraph.RunRunning, "", false
}

func (s *summary) goOn(r agentgraph.Record, g journal.Gist) {
	s.Last = r.Time
	switch r.Kind {
	case journal.KindStep:
		s.Done++
	case journal.KindTurn:
		if g.Status == "" {
			s.Done++
		}
	case journal.KindAsk:
		s.Asks = true
	case journal.KindEnd:
		s.Status, s.Error = ended(g.Status), g.Error
	}
}

func ended(status string) agentgraph.RunStatus {
	switch status {
	case journal.Done:
		return agentgraph.RunFinished
	case journal.Waits:
		return agentgraph.RunWaiting
	case journal.Stopped:
		return agentgraph.RunInterrupted
	}
	return agentgraph.RunFailed
}
