package minutes

import (
	"fmt"

	"github.com/seed-a2b66b4f/agentgraph/internal/journal"
)

// clerk writes minutes.
type clerk struct {
	minutes *Minutes
	members map[string]member
	seats   []string         // in the order of the roster
	waiting map[string][]int // by seat: what it has not answered, by place in the log
	made    map[string]int   // posts by author
	places  map[ID]int
	answers answers
}

func newClerk(h *journal.History, m *Minutes) *clerk {
	c := &clerk{minutes: m, members: map[string]member{}, waiting: map[string][]int{}, made: map[string]int{}, places: map[ID]int{}}
	members(m.Roster, "", func(e member) {
		c.members[e.Name] = e
		if e.Kind == "external" {
			c.seats = append(c.seats, e.Name)
		}
	})
	c.answers = answersOf(h, m.Step)
	return c
}

// add puts a post into the log.
func (c *clerk) add(p Post) {
	p.ID = ID{p.From, c.made[p.From]}
	c.made[p.From]++
	place := len(c.minutes.Posts)
	c.places[p.ID] = place
	c.minutes.Posts = append(c.minutes.Posts, p)
	for _, seat := range c.seats {
		if c.members[seat].hears(p.To) {
			c.waiting[seat] = append(c.waiting[seat], place)
		}
	}
}

// outside takes in posts from outside.
func (c *clerk) outside(t Turn, posts []Post) {
	t.First, t.Posts = len(c.minutes.Posts), len(posts)
	for _, p := range posts {
		p.To, p.Thread = sorted(p.To), sortedIDs(p.Thread)
		c.add(p)
		c.answered(p)
	}
	c.minutes.Turns = append(c.minutes.Turns, t)
}

// answered takes what a post of a seat cites from what waits there.
func (c *clerk) answered(p Post) {
	cited := map[ID]bool{}
	for _, id := range p.Thread {
		cited[id] = true
	}
	var rest []int
	for _, place := range c.waiting[p.From] {
		if !cited[c.minutes.Posts[place].ID] {
			rest = append(rest, place)
		}
	}
	c.waiting[p.From] = rest
}

// turn takes in a turn of an agent.
func (c *clerk) turn(mark journal.Mark) error {
	t := Turn{Agent: mark.Agent, N: mark.Entry.N, Mark: mark}
	if err := t.Input.UnmarshalText([]byte(mark.Entry.Post)); err != nil {
		return fmt.Errorf("%w: %w", ErrAstray, err)
	}
	if err := c.reach(t.Input); err != nil {
		return err
	}
	t.First = len(c.minutes.Posts)
	if mark.Entry.Status == "" {
		made, err := outputs(mark.Entry.Value)
		if err != nil {
			return fmt.Errorf("%w: %w", ErrAstray, err)
		}
		for _, o := range made {
			c.add(c.stamped(t, o))
		}
		t.Posts = len(made)
	}
	c.minutes.Turns = append(c.minutes.Turns, t)
	return nil
}

func (c *clerk) stamped(t Turn, o output) Post {
	p := Post{From: t.Agent, To: c.members[t.Agent].address(o.To), Thread: sortedIDs(o.Thread), Body: o.Body}
	if p.Thread == nil {
		p.Thread = []ID{t.Input}
	}
	return p
}

// reach takes in answers until a post is there. A meeting takes one only when
// nothing else can go on, so that the next turn takes what came of it.
func (c *clerk) reach(id ID) error {
	for {
		if _, ok := c.places[id]; ok {
			return nil
		}
		a := c.answers.next(c, id.From)
		if a == nil {
			return fmt.Errorf("%w: nobody has posted %s", ErrAstray, id)
		}
		if err := c.answer(a); err != nil {
			return err
		}
	}
}

// close takes in the answers that nobody has heard.
func (c *clerk) close() error {
	for {
		a := c.answers.last(c)
		if a == nil {
			return nil
		}
		if err := c.answer(a); err != nil {
			return err
		}
	}
}

func (c *clerk) answer(a *journal.Entry) error {
	made, err := outputs(a.Value)
	if err != nil {
		return fmt.Errorf("%w: answer %d: %w", ErrAstray, a.Seq, err)
	}
	cited := c.cited(a)
	posts := make([]Post, len(made))
	for i, o := range made {
		posts[i] = Post{From: a.Seat, To: o.To, Thread: o.Thread, Body: o.Body}
		if len(o.To) == 0 {
			posts[i].To = c.members[a.Seat].Out
		}
		if len(o.Thread) == 0 {
			posts[i].Thread = cited
		}
	}
	c.outside(Turn{Seat: a.Seat}, posts)
	return nil
}
