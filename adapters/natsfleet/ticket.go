package natsfleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/seed-a2b66b4f/agentgraph"
)

// ticket is what the fleet knows of a run beside its journal: what it is, from the
// moment that it is submitted, and what became of it in the end.
type ticket struct {
	Run       string                     `json:"run"`
	Flow      string                     `json:"flow"`
	Input     map[string]json.RawMessage `json:"input,omitempty"`
	Submitted time.Time                  `json:"submitted"`
	State     State                      `json:"state,omitempty"`    // once it is settled
	Error     string                     `json:"error,omitempty"`    // that it failed with, or that passed last, its store's too
	Retries   int                        `json:"retries,omitempty"`  // after errors that pass
	Survived  int                        `json:"survived,omitempty"` // attempt whose worker is known not to have died of it
	Story     []Death                    `json:"story,omitempty"`    // of a run that was set aside

	revision uint64 // of the message that holds it
}

func (t *ticket) settled() bool { return t.State != "" }

// given is the input of a run.
func (t *ticket) given() map[string]any {
	in := make(map[string]any, len(t.Input))
	for name, raw := range t.Input {
		in[name] = raw
	}
	return in
}

// err is the error of a run that is settled and did not finish.
func (t *ticket) err() error {
	e := &RunError{RunID: t.Run, Flow: t.Flow, Text: t.Error}
	switch t.State {
	case Finished:
		return nil
	case Cancelled:
		e.Err = ErrCancelled
	case SetAside:
		e.Err = ErrSetAside
	default:
		e.Err = ErrFailed
	}
	return e
}

// ticket reads that of a run. It is [agentgraph.ErrNoRun] when there is none.
func (f *Fleet) ticket(ctx context.Context, runID string) (*ticket, error) {
	if err := agentgraph.CheckRunID(runID); err != nil {
		return nil, err
	}
	m, err := f.last(ctx, f.runs, f.runSubject(runID))
	if err != nil {
		return nil, runError(runID, err)
	}
	if m == nil {
		return nil, runError(runID, agentgraph.ErrNoRun)
	}
	t := &ticket{revision: m.Sequence}
	if err := json.Unmarshal(m.Data, t); err != nil {
		return nil, runError(runID, fmt.Errorf("%w: its ticket: %w", agentgraph.ErrCorrupt, err))
	}
	return t, nil
}

// last is the last message of a subject, nil if there is none.
func (f *Fleet) last(ctx context.Context, s jetstream.Stream, subject string) (m *jetstream.RawStreamMsg, err error) {
	err = f.link.patiently(ctx, "$JS.API.STREAM.MSG.GET."+s.CachedInfo().Config.Name, func(ctx context.Context) (err error) {
		m, err = s.GetLastMsgForSubject(ctx, subject)
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			m, err = nil, nil
		}
		return err
	})
	return m, err
}

// put writes a ticket if the one before is still the last.
func (f *Fleet) put(ctx context.Context, t *ticket) error {
	text, err := json.Marshal(t)
	if err != nil {
		return err
	}
	return f.publish(ctx, f.runSubject(t.Run), text, t.revision)
}

// publish puts a message behind the one that must be the last of its subject.
func (f *Fleet) publish(ctx context.Context, subject string, text []byte, after uint64) error {
	return f.link.patiently(ctx, subject, func(ctx context.Context) error {
		_, err := f.js.Publish(ctx, subject, text, jetstream.WithExpectLastSequencePerSubject(after), jetstream.WithRetryAttempts(0))
		return err
	})
}

// change reads a ticket, lets a function change it, and writes it if that says so,
// however often somebody else comes between. The function may be called again after
// a change of its own whose acknowledgement was lost.
func (f *Fleet) change(ctx context.Context, runID string, change func(*ticket) (bool, error)) (*ticket, error) {
	for {
		t, err := f.ticket(ctx, runID)
		if err != nil {
			return nil, err
		}
		if changed, err := change(t); err != nil || !changed {
			return t, err
		}
		if err := f.put(ctx, t); !isConflict(err) {
			return t, err
		}
	}
}
