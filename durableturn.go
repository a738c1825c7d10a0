package agentgraph

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/seed-a2b66b4f/agentgraph/internal/canon"
	"github.com/seed-a2b66b4f/agentgraph/internal/journal"
	"github.com/seed-a2b66b4f/agentgraph/internal/schedule"
)

// turns takes the turns of a durable meeting: each is looked up, and only one that
// was not taken before on the same post and state is taken and recorded.
type turns[B any] struct {
	minutes *minutes[B]
	step    *Step
	only    bool // nothing is to be taken, only looked up

	mu     sync.Mutex
	prints map[PostID]string // digests of posts
	marks  []journal.Mark    // the turns that count, in their order
	noted  int               // how many of them stand in the journal
	open   []*openTurn       // those that are being taken
}

// openTurn is a turn that is being taken.
type openTurn struct {
	draft *journal.Draft
	noted bool // its beginning stands in the journal
}

func newTurns[B any](m *minutes[B], step *Step) *turns[B] {
	return &turns[B]{minutes: m, step: step, prints: map[PostID]string{}}
}

// roster is the meeting's own, with every agent's program inside one that records it.
func (t *turns[B]) roster() *Roster[B] {
	r := *t.minutes.roster
	r.chain, r.layers = nil, nil // inside, where a turn is taken
	r.entries = slices.Clone(r.entries)
	for i := range r.entries {
		if e := &r.entries[i]; e.program != nil {
			e.program, e.world = recorded[B]{t, int32(i), e.program}, false
		}
	}
	return &r
}

// recorded is a program whose turns are recorded.
type recorded[B any] struct {
	turns *turns[B]
	entry int32
	inner program[B]
}

// memory is the state of a recorded program.
type memory struct {
	state  any
	print  string // its digest
	n      int    // how many turns were taken
	turn   int    // the number of the last one in the journal
	cached bool   // that one was taken before
	at     int64  // when it began
}

func (p recorded[B]) start() any { return (*memory)(nil) }

// first is the state before any turn.
func (p recorded[B]) first() (*memory, error) {
	m := &memory{state: p.inner.start()}
	_, err := p.seal(m)
	return m, err
}

// seal makes a state what it is after a JSON round trip, and returns its JSON. That
// of an agent that has none of its own, or only its history, is nil.
func (p recorded[B]) seal(m *memory) (json.RawMessage, error) {
	switch p.inner.(type) {
	case pure[B], each[B], tape[B]:
		return nil, nil
	}
	raw, err := p.inner.save(m.state)
	if err != nil {
		return nil, err
	}
	if raw, err = canon.Compact(raw); err != nil {
		return nil, err
	}
	return raw, p.unseal(m, raw)
}

func (p recorded[B]) unseal(m *memory, raw json.RawMessage) (err error) {
	sum, err := canon.Sum(raw)
	if err != nil {
		return err
	}
	m.print = sum.Text()
	m.state, err = p.inner.load(raw)
	return err
}

func (p recorded[B]) save(state any) (json.RawMessage, error) {
	return p.inner.save(state.(*memory).state)
}

func (p recorded[B]) load(data json.RawMessage) (any, error) {
	m := &memory{}
	return m, p.unseal(m, data)
}

func (p recorded[B]) step(ctx context.Context, state any, in *Post[B]) (any, []Post[B], error) {
	before := state.(*memory)
	if before == nil {
		var err error
		if before, err = p.first(); err != nil {
			return nil, nil, p.bad(err)
		}
	}
	post, err := p.turns.print(in)
	if err != nil {
		return nil, nil, err
	}
	s := p.turns.step
	key := journal.Taking{Meeting: s.frame.path, Agent: p.turns.minutes.roster.paths[p.entry], N: before.n, Post: post, State: before.print}
	if s.run.writer != nil {
		if e := s.run.writer.Turn(key); e != nil {
			return p.recall(before, e, in, post)
		}
	}
	if p.turns.only {
		return nil, nil, errNotRecorded
	}
	return p.take(ctx, before, key, in)
}

// bad is the error of a state that JSON cannot hold.
func (p recorded[B]) bad(err error) error { return fmt.Errorf("%sstate of the agent: %w", prefix, err) }

// recall gives what came of a turn that was taken before.
func (p recorded[B]) recall(before *memory, e *journal.Entry, in *Post[B], post string) (any, []Post[B], error) {
	var kept []output
	if len(e.Value) > 0 {
		if err := json.Unmarshal(e.Value, &kept); err != nil {
			return nil, nil, err
		}
	}
	outs := make([]Post[B], len(kept))
	for i, o := range kept {
		outs[i] = Post[B]{To: o.To, Thread: o.Thread}
		if err := json.Unmarshal(o.Body, &outs[i].Body); err != nil {
			return nil, nil, fmt.Errorf("%srecorded body: %w", prefix, err)
		}
	}
	r := p.turns.step.run
	after := &memory{n: before.n + 1, turn: e.ID, cached: !r.writer.Own(e), at: r.since()}
	if e.State != nil {
		return after, outs, p.unseal(after, e.State)
	}
	if _, ok := p.inner.(tape[B]); ok {
		h, _ := before.state.(*history[B])
		after.state, after.print = h.add(*in), linked(before.print, post)
	}
	return after, outs, nil
}

// linked is the digest of a history that a post is added to.
func linked(before, post string) string {
	sum := sha256.Sum256([]byte(before + post))
	return base64.RawURLEncoding.EncodeToString(sum[:18])
}

// take lets the agent take a turn, and makes what came of it durable.
func (p recorded[B]) take(ctx context.Context, before *memory, key journal.Taking, in *Post[B]) (any, []Post[B], error) {
	s := p.turns.step
	d := p.draft(key, in.ID)
	defer p.turns.enter(d)()
	a := attempt[B]{
		roster: p.turns.minutes.roster, entry: p.entry, n: before.n, in: *in, state: before.state,
		runID: s.run.id, key: key.Print(s.run.id),
	}
	a.take(context.WithValue(ctx, stepKey{}, (*Step)(nil)))
	if a.err != nil {
		return nil, nil, a.err
	}
	if a.err = p.check(a.outs); a.err != nil {
		return nil, nil, a.err
	}
	outs, value, err := settledOutputs(a.outs)
	if err != nil {
		return nil, nil, err
	}
	after := &memory{state: a.next, n: before.n + 1, turn: d.ID, at: d.At}
	if d.State, err = p.seal(after); err != nil {
		return nil, nil, p.bad(err)
	}
	if _, ok := p.inner.(tape[B]); ok {
		after.print = linked(before.print, key.Post)
	}
	if s.run.writer == nil {
		return after, outs, nil
	}
	d.Value = value
	return after, outs, s.run.taken(s.run.writer.WriteTurn(s.run.writing, key, d))
}

// draft is the entry of a turn that begins.
func (p recorded[B]) draft(key journal.Taking, post PostID) *journal.Draft {
	s := p.turns.step
	d := &journal.Draft{}
	d.Kind, d.To, d.Agent, d.N, d.Post, d.At = journal.KindTurn, s.id, key.Agent, key.N, post.String(), s.run.since()
	d.Rooms = p.turns.rooms(p.entry)
	d.Also = []journal.Digest{{Name: "post", Text: key.Post}}
	if key.State != "" {
		d.Also = append(d.Also, journal.Digest{Name: "state", Text: key.State})
	}
	if s.run.writer != nil {
		d.ID = s.run.writer.Number()
	}
	return d
}

// check refuses outputs that will not be committed: the turn is not to be recorded.
func (p recorded[B]) check(outs []Post[B]) error {
	for i := range outs {
		if _, err := p.turns.minutes.roster.resolve(p.entry, outs[i].To); err != nil {
			return err
		}
	}
	return nil
}

// output is what is recorded of a post that an agent made.
type output struct {
	To     []Channel       `json:"to,omitempty"`
	Thread []PostID        `json:"thread,omitempty"`
	Body   json.RawMessage `json:"body"`
}

// settledOutputs are outputs as they are after a JSON round trip, and their JSON.
func settledOutputs[B any](made []Post[B]) ([]Post[B], json.RawMessage, error) {
	if len(made) == 0 {
		return nil, nil, nil
	}
	outs, kept := slices.Clone(made), make([]output, len(made))
	for i := range outs {
		body, raw, err := settled(outs[i].Body)
		if err != nil {
			return nil, nil, fmt.Errorf("%soutput %d: %w", prefix, i, err)
		}
		outs[i].Body = body
		kept[i] = output{outs[i].To, outs[i].Thread, raw}
	}
	raw, err := canon.Marshal(kept)
	return outs, raw, err
}

// settled is a body as it is after a JSON round trip, and its JSON.
func settled[B any](body B) (B, json.RawMessage, error) {
	raw, err := canon.Marshal(body)
	if err != nil {
		return body, nil, err
	}
	if _, text := any(body).(string); text {
		return body, raw, nil
	}
	var again B
	err = json.Unmarshal(raw, &again)
	return again, raw, err
}

// print is the digest of a post, made once for all who hear it.
func (t *turns[B]) print(p *Post[B]) (string, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if digest, ok := t.prints[p.ID]; ok {
		return digest, nil
	}
	digest, err := printOf(p)
	if err == nil {
		t.prints[p.ID] = digest
	}
	return digest, err
}

func printOf[B any](p *Post[B]) (string, error) {
	raw, err := canon.Marshal(p)
	if err != nil {
		return "", err
	}
	sum, err := canon.Sum(raw)
	return sum.Text(), err
}

// rooms are the paths of the nodes that an entry is in, the outermost first.
func (t *turns[B]) rooms(entry int32) []Name {
	var paths []Name
	r := t.minutes.roster
	for _, _, node := r.plan.Heard(entry); node != schedule.None; _, _, node = r.plan.Heard(node) {
		paths = append(paths, r.paths[node])
	}
	slices.Reverse(paths)
	return paths
}

// enter says that a turn is being taken, until the function it returns is called.
func (t *turns[B]) enter(d *journal.Draft) func() {
	t.mu.Lock()
	defer t.mu.Unlock()
	o := &openTurn{draft: d}
	t.open = append(t.open, o)
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.open = slices.DeleteFunc(t.open, func(other *openTurn) bool { return other == o })
	}
}

// committed is called for each turn that counts, in order.
func (t *turns[B]) committed(entry int32, state any) {
	m := state.(*memory)
	mark := t.mark(entry)
	mark.Turn, mark.Cached, mark.At = m.turn, m.cached, m.at
	t.mu.Lock()
	defer t.mu.Unlock()
	if n := len(t.marks); n > 0 {
		mark.At = max(mark.At, t.marks[n-1].At)
	}
	t.marks = append(t.marks, mark)
}

// mark describes a turn that an entry takes now.
func (t *turns[B]) mark(entry int32) journal.Mark {
	r := t.minutes.roster
	mark := journal.Mark{Agent: r.paths[entry], Rooms: t.rooms(entry)}
	for _, _, node := r.plan.Heard(entry); node != schedule.None; _, _, node = r.plan.Heard(node) {
		mark.Nodes = append(mark.Nodes, t.minutes.meeting.loop.Entered(node))
	}
	slices.Reverse(mark.Nodes)
	return mark
}

// note writes down which turns have counted since the last time.
func (t *turns[B]) note() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if fresh := t.marks[t.noted:]; len(fresh) > 0 && t.step.run.writer != nil {
		t.noted = len(t.marks)
		t.step.run.writer.Note(journal.Took(t.step.id, fresh))
	}
}

// tick notes what goes on: turns that have counted, and those that last.
func (t *turns[B]) tick(latest int64) {
	t.note()
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, o := range t.open {
		if o.draft.At > latest || o.noted {
			continue
		}
		o.noted = true
		d := &journal.Draft{Entry: journal.Entry{Kind: journal.KindTurn, Status: journal.Begun}}
		d.ID, d.To, d.Agent, d.N, d.Post, d.At, d.Rooms = o.draft.ID, o.draft.To, o.draft.Agent, o.draft.N, o.draft.Post, o.draft.At, o.draft.Rooms
		t.step.run.writer.Note(d)
	}
}

// close puts the turns into the tree, and the one that failed.
func (t *turns[B]) close(err error) {
	var failed *AgentError
	if errors.As(err, &failed) {
		t.fail(failed)
	}
	t.note()
	r := t.step.run
	r.mu.Lock()
	defer r.mu.Unlock()
	t.step.frame.children = append(t.step.frame.children, stepNodes(journal.Turns(t.marks, t.step.frame.index, r.began))...)
}

func (t *turns[B]) fail(failed *AgentError) {
	entry, ok := t.minutes.roster.find(failed.Agent)
	if !ok {
		return
	}
	mark := t.mark(entry)
	mark.Error, mark.At = plain(failed.Err), t.step.run.since()
	if w := t.step.run.writer; w != nil {
		d := &journal.Draft{Entry: journal.Entry{Kind: journal.KindTurn, Status: journal.Failed}}
		d.ID, d.To, d.Agent, d.Post, d.At, d.Rooms, d.Error = w.Number(), t.step.id, mark.Agent, failed.Input.String(), mark.At, mark.Rooms, mark.Error
		w.Note(d)
		mark.Turn = d.ID
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.marks = append(t.marks, mark)
}
