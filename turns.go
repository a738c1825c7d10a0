package agentgraph

import (
	"slices"
	"sync"

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
	prints map[PostID]string       // digests of posts
	marks  []journal.Mark          // the turns that count, in their order
	events []Event                 // of those that were skipped, not yet told
	noted  int                     // how many of them stand in the journal
	open   []*openTurn             // those that are being taken
	begun  map[int32]journal.Draft // by entry: the last one that was taken, as it was when it began
}

// openTurn is a turn that is being taken.
type openTurn struct {
	draft *journal.Draft
	noted bool // its beginning stands in the journal
}

func newTurns[B any](m *minutes[B], step *Step) *turns[B] {
	return &turns[B]{minutes: m, step: step, prints: map[PostID]string{}, begun: map[int32]journal.Draft{}}
}

// roster is the meeting's own, with every agent's program inside one that records it.
func (t *turns[B]) roster() *Roster[B] {
	r := *t.minutes.roster
	r.layers = nil // inside, where a turn is taken
	r.entries = slices.Clone(r.entries)
	for i := range r.entries {
		if e := &r.entries[i]; e.program != nil {
			e.program, e.world = recorded[B]{t, int32(i), e.program}, false
		}
	}
	return &r
}

// committed is called for each turn that counts, in order. It says whether an
// observer is to be told.
func (t *turns[B]) committed(entry int32, state any) (tell bool) {
	m := state.(*memory)
	mark := t.mark(entry)
	mark.Turn, mark.Cached = m.turn, m.cached
	t.mu.Lock()
	defer t.mu.Unlock()
	t.count(mark, m.at)
	if m.cached && !t.only && t.step.run.watched() {
		t.events = append(t.events, Event{Kind: EventTurn, Step: t.step.frame.path, Agent: mark.Agent, Turn: m.n - 1})
	}
	return len(t.events) > 0
}

// tell tells an observer of the turns that were skipped. What the observer does
// must hold up no other turn: no lock is held.
func (t *turns[B]) tell() {
	for {
		t.mu.Lock()
		if len(t.events) == 0 {
			t.mu.Unlock()
			return
		}
		e := t.events[0]
		t.events = t.events[1:]
		t.mu.Unlock()
		t.step.run.passed(t.step.ctx, e)
	}
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

// enter says that a turn is being taken, until the function it returns is called.
func (t *turns[B]) enter(entry int32, d *journal.Draft) func() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.begun[entry] = *d
	o := &openTurn{draft: d}
	t.open = append(t.open, o)
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.open = slices.DeleteFunc(t.open, func(other *openTurn) bool { return other == o })
	}
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
	if failed, ok := err.(*AgentError); ok { //nolint:errorlint // not one inside the error of an agent that was cut short
		t.fail(failed)
	}
	t.note()
	r := t.step.run
	r.mu.Lock()
	defer r.mu.Unlock()
	t.step.frame.children = append(t.step.frame.children, stepNodes(journal.Turns(t.marks, t.step.frame.index, r.began))...)
}

// fail writes down the turn that failed: what is known of it is what it began with.
func (t *turns[B]) fail(failed *AgentError) {
	entry, ok := t.minutes.roster.find(failed.Agent)
	if !ok {
		return
	}
	mark := t.mark(entry)
	mark.Error = plain(failed.Err)
	t.mu.Lock()
	defer t.mu.Unlock()
	d, ok := t.begun[entry]
	if !ok || d.Post != failed.Input.String() { // it came to nothing before the agent was called
		d = *recorded[B]{turns: t, entry: entry}.draft(journal.Taking{Agent: mark.Agent, N: t.minutes.meeting.seats[entry].turns}, failed.Input)
	}
	mark.Turn = d.ID
	t.count(mark, d.At)
	if w := t.step.run.writer; w != nil {
		d.Status, d.Error = journal.Failed, mark.Error
		w.Note(&d)
	}
}

// count adds a turn to those that count. With Options.Parallel one can have begun
// before another that comes before it; times do not fall all the same.
func (t *turns[B]) count(mark journal.Mark, at int64) {
	mark.At = at
	if n := len(t.marks); n > 0 {
		mark.At = max(at, t.marks[n-1].At)
	}
	t.marks = append(t.marks, mark)
}
