package agentgraph_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/seed-a2b66b4f/agentgraph"
)

// script is a meeting and what is done to it from outside.
type script struct {
	Graph    expr         `json:"graph"`
	Registry registryExpr `json:"registry"`
	MaxTurns int          `json:"max_turns"`
	Actions  []action     `json:"actions"`
}

// action is one thing done to a meeting. Posts are made; with Turns the meeting
// runs: to its end, or until Leave turns are taken, or until the context is
// cancelled after Cancel turns; after Interject turns, posts are made from inside
// the loop. Phase moves the world on, so that failures may heal.
type action struct {
	Phase     bool    `json:"phase,omitempty"`
	Posts     []entry `json:"posts,omitempty"`
	Turns     bool    `json:"turns,omitempty"`
	Run       bool    `json:"run,omitempty"`    // by Run in place of Turns
	Leave     *int    `json:"leave,omitempty"`  // at least 1
	Cancel    *int    `json:"cancel,omitempty"` // 0: before the first turn
	Interject *int    `json:"interject,omitempty"`
	Say       []entry `json:"say,omitempty"`
}

// entry is a post from outside. With Cite it answers the last post of the log.
type entry struct {
	From string   `json:"from"`
	To   []string `json:"to"`
	Body string   `json:"body"`
	Cite bool     `json:"cite,omitempty"`
}

// sight is what can be seen of a meeting after an action, or inside one.
type sight struct {
	err       error
	cancelled bool
	turns     []agentgraph.Turn[string]
	log       []post
	pending   []agentgraph.Waiting[string]
}

// perform does what the script says and tells what was to be seen.
func (s script) perform(w *world, m meeting) []sight {
	var seen []sight
	for _, a := range s.Actions {
		if a.Phase {
			w.phase++
		}
		if len(a.Posts) > 0 {
			seen = append(seen, look(m, sight{err: m.Post(posts(m, a.Posts)...)}))
		}
		if a.Turns {
			seen = a.turns(m, seen)
		}
	}
	return seen
}

func (a action) turns(m meeting, seen []sight) []sight {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if a.at(a.Cancel, 0) {
		cancel()
	}
	if a.Run {
		err := m.Run(ctx)
		return append(seen, look(m, sight{err: err, cancelled: ctx.Err() != nil}))
	}
	var now sight
	for turn, err := range m.Turns(ctx) {
		if now.err != nil {
			panic("a turn after the error")
		}
		if now.err = err; err != nil {
			continue
		}
		now.turns = append(now.turns, turn)
		n := len(now.turns)
		if a.at(a.Interject, n) {
			seen = append(seen, look(m, sight{err: m.Post(posts(m, a.Say)...)}))
		}
		if a.at(a.Cancel, n) {
			cancel()
		}
		if a.at(a.Leave, n) {
			break
		}
	}
	now.cancelled = ctx.Err() != nil
	return append(seen, look(m, now))
}

func (a action) at(n *int, turns int) bool { return n != nil && *n == turns }

func posts(m meeting, entries []entry) []post {
	var made []post
	for _, e := range entries {
		p := agentgraph.NewPost(e.From, e.To, e.Body)
		if log := m.Log(); e.Cite && len(log) > 0 {
			p.Thread = []agentgraph.PostID{log[len(log)-1].ID}
		}
		made = append(made, p)
	}
	return made
}

func look(m meeting, s sight) sight {
	s.log, s.pending = m.Log(), m.Pending()
	return s
}

// difference says in what two accounts of one script differ, or is empty.
func difference(a, b []sight, same func(a, b sight) string) string {
	for i := range min(len(a), len(b)) {
		if d := same(a[i], b[i]); d != "" {
			return fmt.Sprintf("at sight %d: %s", i, d)
		}
	}
	if len(a) != len(b) {
		return fmt.Sprintf("%d sights and %d", len(a), len(b))
	}
	return ""
}

// sameToTheByte compares two runs of the library: nothing may differ.
func sameToTheByte(a, b sight) string {
	if d := sameTurns(a, b); d != "" {
		return d
	}
	if text(a.err) != text(b.err) {
		return fmt.Sprintf("error %q and %q", text(a.err), text(b.err))
	}
	return sameWaiting(a.pending, b.pending)
}

// sameMeaning compares the reference with the library. The reference does not
// know the words of some errors. What comes first where several things stop a run at
// once, and what a nested node has taken in when it is cancelled, is left open.
func sameMeaning(ref, lib sight) string {
	if d := sameTurns(ref, lib); d != "" {
		return d
	}
	if ref.cancelled && (lib.err == nil || kind(lib.err) == "cancelled" || kind(lib.err) == "limit") {
		return ""
	}
	if kind(ref.err) != kind(lib.err) {
		return fmt.Sprintf("error %q and %q", text(ref.err), text(lib.err))
	}
	switch kind(ref.err) {
	case "agent":
		if text(ref.err) != text(lib.err) {
			return fmt.Sprintf("error %q and %q", text(ref.err), text(lib.err))
		}
	case "limit":
		if d := sameLimit(ref.err, lib.err); d != "" {
			return d
		}
	}
	return sameWaiting(ref.pending, lib.pending)
}

func sameLimit(ref, lib error) string {
	var a, b *agentgraph.TurnLimitError
	if !errors.As(ref, &a) || !errors.As(lib, &b) {
		return fmt.Sprintf("no TurnLimitError: %T and %T", ref, lib)
	}
	if a.Limit != b.Limit {
		return fmt.Sprintf("limit %d and %d", a.Limit, b.Limit)
	}
	if !slices.IsSorted(b.Talking) || !slices.IsSorted(b.Loop) {
		return fmt.Sprintf("out of order: %q, %q", b.Talking, b.Loop)
	}
	for _, name := range a.Talking {
		if !slices.Contains(b.Talking, name) {
			return fmt.Sprintf("%q has something to hear but is not in %q", name, b.Talking)
		}
	}
	return ""
}

func sameTurns(a, b sight) string {
	if d := samePosts("log", a.log, b.log); d != "" {
		return d
	}
	for i := range min(len(a.turns), len(b.turns)) {
		s, t := a.turns[i], b.turns[i]
		if s.N != t.N || s.Agent != t.Agent || !samePost(s.Input, t.Input) {
			return fmt.Sprintf("turn %d of %s on %s and %d of %s on %s", s.N, s.Agent, s.Input.ID, t.N, t.Agent, t.Input.ID)
		}
		if d := samePosts("outputs of "+s.Agent, s.Outputs, t.Outputs); d != "" {
			return d
		}
	}
	if len(a.turns) != len(b.turns) {
		return fmt.Sprintf("%d turns and %d", len(a.turns), len(b.turns))
	}
	return ""
}

func sameWaiting(a, b []agentgraph.Waiting[string]) string {
	for i := range min(len(a), len(b)) {
		if a[i].At != b[i].At {
			return fmt.Sprintf("pending at %q and %q", a[i].At, b[i].At)
		}
		if d := samePosts("pending at "+a[i].At, a[i].Posts, b[i].Posts); d != "" {
			return d
		}
	}
	if len(a) != len(b) {
		return fmt.Sprintf("pending at %d places and %d", len(a), len(b))
	}
	return ""
}

func samePosts(what string, a, b []post) string {
	for i := range min(len(a), len(b)) {
		if !samePost(a[i], b[i]) {
			return fmt.Sprintf("%s %d: %s and %s", what, i, show(a[i]), show(b[i]))
		}
	}
	if len(a) != len(b) {
		return fmt.Sprintf("%s: %d posts and %d", what, len(a), len(b))
	}
	return ""
}

func samePost(a, b post) bool {
	return a.ID == b.ID && a.From == b.From && a.Body == b.Body &&
		(a.To == nil) == (b.To == nil) && slices.Equal(a.To, b.To) && slices.Equal(a.Thread, b.Thread)
}

func show(p post) string {
	data, err := json.Marshal(p)
	if err != nil {
		return err.Error()
	}
	return string(data)
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func kind(err error) string {
	var agent *agentgraph.AgentError
	switch {
	case err == nil:
		return ""
	case errors.As(err, &agent):
		return "agent"
	case errors.Is(err, agentgraph.ErrTurnLimit):
		return "limit"
	case errors.Is(err, agentgraph.ErrForged):
		return "forged"
	case errors.Is(err, context.Canceled):
		return "cancelled"
	}
	return "other: " + err.Error()
}

// writer makes scripts up. Some say everything that a script can say; those of
// stateless agents say only what the law of flattening holds for.
type writer struct {
	*rand.Rand
	stateless bool
	full      []string // channels by full name
	seats     []string
	agents    []string // and nested nodes, by path
}

func newWriter(seed uint64) *writer {
	return &writer{Rand: rand.New(rand.NewPCG(seed, 0x9e3779b97f4a7c15))}
}

// chance is true n times in a hundred.
func (w *writer) chance(n int) bool { return w.IntN(100) < n }

func (w *writer) pick(from []string) string { return from[w.IntN(len(from))] }

// some picks each of a list with even odds, and at least one.
func (w *writer) some(from []string) []string {
	var picked []string
	for _, s := range from {
		if w.chance(50) {
			picked = append(picked, s)
		}
	}
	if len(picked) == 0 {
		return []string{w.pick(from)}
	}
	return picked
}

func (w *writer) number(least, most int) *int {
	n := least + w.IntN(most-least+1)
	return &n
}

func (w *writer) script() script {
	s := script{MaxTurns: 100}
	if w.chance(20) {
		s.MaxTurns = 1 + w.IntN(9)
	}
	s.Graph, s.Registry = w.room("", 0, false)
	s.Actions = w.actions()
	return s
}

var (
	vertexNames = []string{"a", "a-b", "a0", "B", "m", "t", "z", "é"}
	channelPool = []string{"c", "d", "in", "k"}
)

// room makes up a graph and what stands behind its names. Boxed ones hold nothing
// that a box refuses, and come to rest soon.
func (w *writer) room(scope string, depth int, boxed bool) (expr, registryExpr) {
	vertices := slices.Clone(vertexNames)
	w.Shuffle(len(vertices), func(i, j int) { vertices[i], vertices[j] = vertices[j], vertices[i] })
	most := 6 - depth
	vertices = vertices[:2+w.IntN(most-1)]
	if depth > 0 && w.chance(20) {
		vertices = vertices[:1]
	}
	g := w.graph(vertices)
	s := g.shape()
	reg := registryExpr{}
	for _, name := range vertices {
		in, out := s.wiring(name)
		for channel := range in {
			w.full = append(w.full, scope+channel)
		}
		for channel := range out {
			w.full = append(w.full, scope+channel)
		}
		reg[name] = w.node(scope+name, out.sorted(), depth, boxed)
	}
	slices.Sort(w.full)
	w.full = slices.Compact(w.full)
	return g, reg
}

// graph joins all the vertices in one of many ways.
func (w *writer) graph(vertices []string) expr {
	parts := []expr{{Vertices: vertices}}
	for range 1 + w.IntN(len(vertices)+1) {
		left, right := w.some(vertices), w.some(vertices)
		switch w.IntN(8) {
		case 0:
			parts = append(parts, expr{Bus: &listExpr{left, w.pick(channelPool)}})
		case 1:
			parts = append(parts, expr{Chain: &listExpr{left, w.pick(channelPool)}})
		case 2:
			parts = append(parts, expr{Star: &starExpr{w.pick(right), left, w.pick(channelPool), w.pick(channelPool)}})
		case 3:
			parts = append(parts, expr{Connect: &connectExpr{w.some(channelPool), expr{Vertices: left}, expr{Vertices: right}}})
		default:
			from, to := w.pick(vertices), w.pick(vertices)
			parts = append(parts, expr{Connect: &connectExpr{w.some(channelPool[:2+w.IntN(3)]), expr{Vertex: &from}, expr{Vertex: &to}}})
		}
	}
	return expr{Overlay: parts}
}

func (w *writer) node(path string, out []string, depth int, boxed bool) nodeExpr {
	kind := w.IntN(100)
	switch {
	case kind < 28-9*depth && !boxed:
		w.agents = append(w.agents, path)
		return nodeExpr{Nested: w.nested(path+"/", depth+1)}
	case kind >= 92 && !boxed:
		w.seats = append(w.seats, path)
		return nodeExpr{External: true}
	case kind >= 88 && !boxed && !w.stateless:
		w.agents = append(w.agents, path)
		return nodeExpr{Box: w.box()}
	}
	if !boxed {
		w.agents = append(w.agents, path)
	}
	return nodeExpr{Agent: w.program(out, depth, boxed)}
}

func (w *writer) nested(scope string, depth int) *nestedExpr {
	n := &nestedExpr{}
	n.Graph, n.Registry = w.room(scope, depth, false)
	members := n.Graph.shape().vertices.sorted()
	if w.chance(40) {
		n.Entry = w.some(members)
	}
	if w.chance(40) {
		n.Exit = w.some(members)
	}
	return n
}

func (w *writer) box() *nestedExpr {
	n := &nestedExpr{}
	outer := w.full
	n.Graph, n.Registry = w.room("", 2, true)
	w.full = outer
	members := n.Graph.shape().vertices.sorted()
	n.Entry = w.some(members)
	if w.chance(40) {
		n.Exit = w.some(members)
	}
	return n
}

func (w *writer) program(out []string, depth int, boxed bool) *program {
	p := &program{Op: "each"}
	switch op := w.IntN(20); {
	case op < 9 || w.stateless && op < 17:
		p.Emit = w.templates()
		if !boxed {
			p.To = w.addresses(len(p.Emit), out, depth)
		}
	case op < 10 && !boxed:
		p.Op = "route"
		for _, prefix := range []string{"h", "y", ""}[:1+w.IntN(3)] {
			p.By = append(p.By, branch{prefix, w.address(out, depth)})
		}
	case w.stateless:
		p.Op = "sink"
	case op < 13:
		p.Op, p.Sep = "join", "|"
	case op < 16:
		p.Op = "sum"
	case op < 19:
		p.Op = "synth"
	default:
		p.Op = "sink"
	}
	p.When = w.guard(boxed)
	if p.endless() && w.chance(85) {
		p.When.Max = w.number(1, 4)
	}
	if p.Op == "join" {
		p.When.Max = w.number(1, 2) // joiners that hear each other double what they say
	}
	if !boxed && !w.stateless && w.chance(9) {
		p.Message, p.Heal = "boom", w.IntN(3)
		if p.stateless() && w.chance(60) {
			p.FailOn = w.pick([]string{"hi", "h.", "yo", "."})
		} else {
			p.At = 1 + w.IntN(4)
		}
	}
	return p
}

// endless says whether a program could answer itself for ever.
func (p program) endless() bool {
	if p.stateless() {
		return p.When.MaxLen == nil || slices.ContainsFunc(p.Emit, func(s string) bool { return !strings.HasPrefix(s, "{body}") })
	}
	return p.When.Max == nil
}

func (w *writer) templates() []string {
	all := []string{"{body}.", "{body}+", "{self}", "<{from}>", "{n}", "h"}
	if w.stateless {
		all = []string{"{body}.", "{body}+", "{body}-"}
	}
	n := 1
	if w.chance(20) {
		n = w.IntN(3)
	}
	var emit []string
	for range n {
		emit = append(emit, w.pick(all))
	}
	return emit
}

func (w *writer) guard(boxed bool) guard {
	g := guard{NotSelf: w.chance(30)}
	if w.chance(60) {
		g.MaxLen = w.number(2, 5)
	}
	if w.stateless {
		g.MaxLen = w.number(1, 3)
	}
	if (g.MaxLen == nil || w.chance(50)) && !w.stateless {
		g.Max = w.number(1, 4)
	}
	if boxed {
		g.Max = w.number(1, 2)
	}
	return g
}

// addresses makes up a To for each output: mostly none, which means all channels.
func (w *writer) addresses(outputs int, out []string, depth int) [][]string {
	if w.chance(65) {
		return nil
	}
	var to [][]string
	for range outputs {
		to = append(to, w.address(out, depth))
	}
	return to
}

// address may name at most one channel that the agent does not have.
func (w *writer) address(out []string, depth int) []string {
	if w.chance(15) {
		return nil
	}
	var to []string
	if len(out) > 0 {
		to = w.some(out)
	}
	switch {
	case depth > 0 && w.chance(45):
		to = append(to, agentgraph.Outside)
	case !w.stateless && w.chance(4):
		to = append(to, w.pick([]string{"nowhere", agentgraph.Everyone, agentgraph.Outside, "t/c"}))
	}
	if depth > 0 && len(to) > 1 && w.chance(30) {
		to = []string{agentgraph.Outside}
	}
	w.Shuffle(len(to), func(i, j int) { to[i], to[j] = to[j], to[i] })
	return to
}

func (w *writer) actions() []action {
	list := []action{{Posts: w.entries(1 + w.IntN(3))}}
	for range w.IntN(5) {
		list = append(list, w.action())
	}
	for range 1 + w.IntN(2) {
		list = append(list, action{Phase: w.chance(50), Turns: true, Run: w.chance(50)})
	}
	return list
}

func (w *writer) action() action {
	a := action{Phase: w.chance(30), Turns: w.chance(75)}
	if !a.Turns || w.chance(50) {
		a.Posts = w.entries(1 + w.IntN(2))
	}
	if w.chance(15) {
		a.Cancel = w.number(0, 8)
	}
	if a.Run = w.chance(20); a.Run {
		return a
	}
	if w.chance(45) {
		a.Leave = w.number(1, 10)
	}
	if w.chance(40) {
		a.Interject, a.Say = w.number(1, 6), w.entries(1+w.IntN(2))
	}
	return a
}

func (w *writer) entries(n int) []entry {
	var list []entry
	for range n {
		e := entry{From: w.pick([]string{"user", "ops", "t/nobody"}), Body: w.pick([]string{"hi", "h", "yo", ""})}
		if len(w.seats) > 0 && w.chance(35) {
			e.From = w.pick(w.seats)
		}
		if len(w.agents) > 0 && w.chance(2) {
			e.From = w.pick(w.agents)
		}
		for range 1 + w.IntN(2) {
			switch to := w.IntN(20); {
			case to < 14 && len(w.full) > 0:
				e.To = append(e.To, w.pick(w.full))
			case to < 18:
				e.To = append(e.To, agentgraph.Everyone)
			case to < 19:
				e.To = append(e.To, w.pick([]string{"nobody", "", "..", "t/", "a/nobody"}))
			}
		}
		e.Cite = w.chance(20)
		list = append(list, e)
	}
	return list
}

// String writes a script down for whoever has to read it.
func (s script) String() string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	if err := enc.Encode(s); err != nil {
		return err.Error()
	}
	return b.String()
}
