package viewer

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/internal/journal"
)

// damaged is the status of a run whose journal cannot be read to its end.
const damaged agentgraph.RunStatus = "damaged"

// summary is what the list shows of a run. It is kept from one look to the next.
type summary struct {
	agentgraph.RunInfo
	Asks bool // it has asked for something in the last attempt

	seq     uint64 // how far the journal was read
	by      string // what the entries of the last attempt bear
	checked int    // which look was the last one at the journal
}

// update takes in what the journal has beyond what is known. It costs that.
func (s *summary) update(ctx context.Context, store agentgraph.Store) error {
	if s.Status == damaged {
		*s = summary{RunInfo: agentgraph.RunInfo{RunID: s.RunID}}
	}
	anew := false
	for r, err := range store.Read(ctx, s.RunID, s.seq) {
		if err == nil {
			err = s.refused(r)
		}
		if err != nil {
			return s.failed(err)
		}
		if s.seq = r.Seq; !s.take(r) {
			anew = true
			break
		}
	}
	if !anew {
		return nil
	}
	*s = summary{RunInfo: agentgraph.RunInfo{RunID: s.RunID}}
	for r, err := range store.Read(ctx, s.RunID, 0) {
		if err == nil {
			err = s.refused(r)
		}
		if err != nil {
			return s.failed(err)
		}
		s.seq = r.Seq
		s.take(r)
	}
	return nil
}

// refused says why a record is not one of a run. What is wrong further in shows on
// the run's own page.
func (s *summary) refused(r agentgraph.Record) error {
	switch {
	case r.Kind == journal.KindAttempt && entry(r).Format != journal.Format:
		return fmt.Errorf("%w: record %d begins an attempt in another format than %d", agentgraph.ErrCorrupt, r.Seq, journal.Format)
	case r.Kind != journal.KindAttempt && r.Kind != journal.KindAnswer && s.Attempts == 0:
		return fmt.Errorf("%w: record %d stands before the first attempt", agentgraph.ErrCorrupt, r.Seq)
	}
	return nil
}

// failed notes damage; any other error is one.
func (s *summary) failed(err error) error {
	if !errors.Is(err, agentgraph.ErrCorrupt) {
		return err
	}
	s.Status, s.Error = damaged, err.Error()
	return nil
}

// take takes in a record. It is false for one that the last attempt did not write:
// what is known may be of a run that was deleted and begun anew.
func (s *summary) take(r agentgraph.Record) bool {
	if r.Kind == journal.KindAnswer {
		if s.Status == agentgraph.RunWaiting {
			s.Status = agentgraph.RunAnswered
		}
		return true
	}
	if r.Kind == journal.KindAttempt {
		s.begin(r)
		return true
	}
	if !bytes.HasPrefix(r.Data, []byte(`{"by":"`+s.by+`"`)) {
		return false
	}
	s.Last = r.Time
	switch r.Kind {
	case journal.KindStep:
		s.Done++
	case journal.KindTurn:
		if entry(r).Status == "" {
			s.Done++
		}
	case journal.KindAsk:
		s.Asks = true
	case journal.KindEnd:
		e := entry(r)
		s.Status, s.Error = ended(e.Status), e.Error
	}
	return true
}

func (s *summary) begin(r agentgraph.Record) {
	e := entry(r)
	if s.Attempts == 0 {
		s.Began = r.Time
	}
	s.Attempts++
	s.Name, s.by, s.Last = e.Name, e.By, r.Time
	s.Status, s.Error, s.Asks = agentgraph.RunRunning, "", false
}

// entry decodes a record, if it makes sense.
func entry(r agentgraph.Record) (e journal.Entry) {
	if r.Kind == journal.KindTurn && !bytes.Contains(r.Data, []byte(`"status":`)) {
		return e
	}
	_ = json.Unmarshal(r.Data, &e) // what makes no sense shows on the run's own page
	return e
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
