package agentgraph_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"hash/maphash"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph"
)

var (
	seedFlag    = flag.Uint64("seed", 0, "the one script to run; 0 for all")
	scriptsFlag = flag.Int("scripts", 0, "how many scripts to run; 0 for the usual number")
)

// scripts is how many a test runs.
func scripts(usual int) int {
	if *scriptsFlag > 0 {
		return *scriptsFlag
	}
	if agentgraph.RaceEnabled || testing.Short() {
		return usual / 5
	}
	return usual
}

// TestDifferential lets the reference, the library one turn at a time, and the
// library in parallel do what thousands of made-up scripts say, and compares all
// that can be seen of them after each action.
func TestDifferential(t *testing.T) {
	everyScript(t, scripts(10_000), func(seed uint64) string {
		s := newWriter(seed).script()
		if d := s.compare(seed); d != "" {
			s = s.shrink(seed)
			return fmt.Sprintf("%s\nshrunk to %s\nwhich fails: %s", d, s, s.compare(seed))
		}
		return ""
	})
}

// TestScriptsOfReference runs the scripts by the reference alone, and checks that
// they say enough to be worth comparing.
func TestScriptsOfReference(t *testing.T) {
	var mu sync.Mutex
	met := map[string]int{}
	n := scripts(2_000)
	everyScript(t, n, func(seed uint64) string {
		s := newWriter(seed).script()
		w := &world{}
		m, err := newReference(w, s.Graph, s.Registry, s.MaxTurns)
		if err != nil {
			return err.Error()
		}
		seen := s.perform(w, m)
		mu.Lock()
		defer mu.Unlock()
		for _, what := range features(m, seen) {
			met[what]++
		}
		return ""
	})
	for _, what := range []string{
		"agent", "limit", "limit twice", "forged", "cancelled", "not connected", "a seat's post", "turn in a nested node",
		"turn two levels down", "over 20 turns", "pending at an agent", "pending at a seat", "pending at a nested node", "box",
	} {
		require.Greater(t, met[what]*200, n, "%s: too few scripts, of %d: %v", what, n, met)
	}
	t.Log(n, "scripts:", met)
}

// features is what a script turned out to contain.
func features(m *refMeeting, seen []sight) []string {
	met := set{}
	limits, turns := 0, 0
	for _, s := range seen {
		met[kind(s.err)] = true
		if kind(s.err) == "limit" {
			limits++
		}
		met["limit twice"] = met["limit twice"] || limits > 1
		met["not connected"] = met["not connected"] || errors.Is(s.err, agentgraph.ErrNotConnected)
		turns += len(s.turns)
		for _, turn := range s.turns {
			e := m.byPath[turn.Agent]
			met["turn in a nested node"] = met["turn in a nested node"] || e.room.node != nil
			met["turn two levels down"] = met["turn two levels down"] || e.room.node != nil && e.room.node.room.node != nil
			met["box"] = met["box"] || e.node.Box != nil
		}
		for _, waiting := range s.pending {
			e := m.byPath[waiting.At]
			met["pending at a seat"] = met["pending at a seat"] || e.node.External
			met["pending at a nested node"] = met["pending at a nested node"] || e.inner != nil
			met["pending at an agent"] = met["pending at an agent"] || e.inner == nil && !e.node.External
		}
	}
	for _, p := range m.log {
		met["a seat's post"] = met["a seat's post"] || m.byPath[p.From] != nil && m.byPath[p.From].node.External
	}
	met["over 20 turns"] = turns > 20
	var list []string
	for what, yes := range met {
		if yes {
			list = append(list, what)
		}
	}
	return list
}

// compare runs a script in every way and says where two of them differ.
func (s script) compare(seed uint64) string {
	refWorld := &world{}
	ref, err := newReference(refWorld, s.Graph, s.Registry, s.MaxTurns)
	if err != nil {
		return err.Error()
	}
	want := s.perform(refWorld, ref)

	calm := &world{}
	roster, err := agentgraph.ToRoster(s.Graph.graph(), s.Registry.registry(calm, ""))
	if err != nil {
		return "refused: " + err.Error()
	}
	one := s.perform(calm, roster.With(agentgraph.Options{MaxTurns: s.MaxTurns}).Open())
	if d := difference(want, one, sameMeaning); d != "" {
		return "reference, then one at a time, differ " + d
	}

	if seed%4 == 0 {
		if d := s.compareFlat(); d != "" {
			return "flattened, " + d
		}
	}

	busy := &world{}
	roster, err = agentgraph.ToRoster(s.Graph.graph(), s.Registry.registry(busy, ""))
	if err != nil {
		return "refused: " + err.Error()
	}
	for _, parallel := range []int{2, 3, 8} {
		busy.phase = 0
		busy.delay = jitter(seed + uint64(parallel))
		m := roster.With(agentgraph.Options{MaxTurns: s.MaxTurns, Parallel: parallel}).Open()
		many := s.perform(busy, m)
		if n := agentgraph.Surprises(m); n > 0 {
			return fmt.Sprintf("parallel %d: %d turns were worked ahead that the schedule did not ask for", parallel, n)
		}
		if d := difference(one, many, sameToTheByte); d != "" {
			return fmt.Sprintf("one at a time, then parallel %d, differ %s", parallel, d)
		}
	}
	return ""
}

// compareFlat is compare for the flattened graph, one at a time.
func (s script) compareFlat() string {
	refWorld, calm := &world{}, &world{}
	ref, err := newReference(refWorld, s.Graph, s.Registry, s.MaxTurns)
	if err != nil {
		return err.Error()
	}
	want := s.perform(refWorld, ref.flattened())
	g, reg, err := agentgraph.Flatten(s.Graph.graph(), s.Registry.registry(calm, ""))
	if err != nil {
		return "refused: " + err.Error()
	}
	roster, err := agentgraph.ToRoster(g, reg)
	if err != nil {
		return "refused: " + err.Error()
	}
	one := s.perform(calm, roster.With(agentgraph.Options{MaxTurns: s.MaxTurns}).Open())
	if d := difference(want, one, sameMeaning); d != "" {
		return "reference, then library, differ " + d
	}
	return ""
}

// jitter makes agents dawdle: each turn of each agent in its own way.
func jitter(seed uint64) func(string, post) {
	var mix atomic.Uint64
	mix.Store(seed)
	return func(self string, in post) {
		h := maphash.Comparable(jitterSeed, [2]any{self, in.ID}) ^ mix.Add(0x9e3779b97f4a7c15)
		switch {
		case h%64 == 0:
			time.Sleep(time.Duration(h>>32%50) * time.Microsecond)
		case h%4 == 0:
			runtime.Gosched()
		}
	}
}

var jitterSeed = maphash.MakeSeed()

// shrink drops what a script can do without and still fail.
func (s script) shrink(seed uint64) script {
	fails := func(s script) bool {
		for range 3 { // a race of turns may need more than one try
			if s.compare(seed) != "" {
				return true
			}
		}
		return false
	}
	for again := true; again; {
		again = false
		for _, smaller := range s.smaller() {
			if fails(smaller) {
				s, again = smaller, true
				break
			}
		}
	}
	return s
}

// smaller is the script with one thing less, in every way.
func (s script) smaller() []script {
	var all []script
	without := func(change func(*script)) {
		c := s
		c.Actions = slices.Clone(s.Actions)
		c.Graph.Overlay = slices.Clone(s.Graph.Overlay)
		change(&c)
		all = append(all, c)
	}
	for i, a := range s.Actions {
		without(func(c *script) { c.Actions = slices.Delete(c.Actions, i, i+1) })
		for j := range a.Posts {
			without(func(c *script) { c.Actions[i].Posts = slices.Delete(slices.Clone(a.Posts), j, j+1) })
		}
		if a.Cancel != nil {
			without(func(c *script) { c.Actions[i].Cancel = nil })
		}
		if a.Leave != nil {
			without(func(c *script) { c.Actions[i].Leave = nil })
		}
		if a.Interject != nil {
			without(func(c *script) { c.Actions[i].Interject, c.Actions[i].Say = nil, nil })
		}
	}
	for i := range s.Graph.Overlay {
		without(func(c *script) { c.Graph.Overlay = slices.Delete(c.Graph.Overlay, i, i+1) })
	}
	return all
}

// everyScript calls f for seeds 1 to n, on a few goroutines, and reports the
// first seed that it finds something wrong with.
func everyScript(t *testing.T, n int, f func(seed uint64) string) {
	t.Helper()
	if *seedFlag != 0 {
		if wrong := f(*seedFlag); wrong != "" {
			t.Fatalf("seed %d: %s", *seedFlag, wrong)
		}
		return
	}
	var (
		next  atomic.Uint64
		found sync.Once
		stop  atomic.Bool
		wg    sync.WaitGroup
	)
	for range 2 * runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for !stop.Load() {
				seed := next.Add(1)
				if seed > uint64(n) {
					return
				}
				if wrong := f(seed); wrong != "" {
					stop.Store(true)
					found.Do(func() { t.Errorf("seed %d (run it alone with -run '^%s$' -seed %d): %s", seed, t.Name(), seed, wrong) })
				}
			}
		})
	}
	wg.Wait()
}

// TestFlattenLaw: for agents whose output depends on the input alone, a graph and
// its flattening give the same posts, in another order.
func TestFlattenLaw(t *testing.T) {
	everyStateless(t, func(s script, inputs []entry) (nested, flat []string, err error) {
		g, reg := s.Graph.graph(), s.Registry.registry(&world{}, "")
		flatG, flatReg, err := agentgraph.Flatten(g, reg)
		if err != nil {
			return nil, nil, err
		}
		if err := onlyLeaves(flatG, flatReg); err != nil {
			return nil, nil, err
		}
		one, err := agentgraph.ToRoster(g, reg)
		if err != nil {
			return nil, nil, err
		}
		other, err := agentgraph.ToRoster(flatG, flatReg)
		if err != nil {
			return nil, nil, err
		}
		limit := agentgraph.Options{MaxTurns: s.MaxTurns}
		return contents(one.With(limit).Open(), inputs), contents(other.With(limit).Open(), inputs), nil
	})
}

func TestFlattenLawOfReference(t *testing.T) {
	everyStateless(t, func(s script, inputs []entry) (nested, flat []string, err error) {
		m, err := newReference(&world{}, s.Graph, s.Registry, s.MaxTurns)
		if err != nil {
			return nil, nil, err
		}
		return contents(m, inputs), contents(m.flattened(), inputs), nil
	})
}

// everyStateless puts graphs of stateless agents to a test that runs them nested
// and flat. Where the nested one does not come to rest the law is silent.
func everyStateless(t *testing.T, run func(s script, inputs []entry) (nested, flat []string, err error)) {
	t.Helper()
	var held, many atomic.Int64
	n := scripts(2_000)
	everyScript(t, n, func(seed uint64) string {
		w := newWriter(seed)
		w.stateless = true
		s := script{MaxTurns: 400}
		s.Graph, s.Registry = w.room("", 0, false)
		nested, flat, err := run(s, w.entries(1+w.IntN(3)))
		switch {
		case err != nil:
			return fmt.Sprintf("%v\n%s", err, s)
		case nested == nil:
			return ""
		case !slices.Equal(nested, flat):
			return fmt.Sprintf("%d posts and %d\n%q\n%q\n%s", len(nested), len(flat), nested, flat, s)
		}
		held.Add(1)
		if len(nested) > 8 {
			many.Add(1)
		}
		return ""
	})
	t.Logf("of %d, %d came to rest, %d said much", n, held.Load(), many.Load())
	if *seedFlag == 0 {
		require.Greater(t, int(held.Load())*2, n, "too few came to rest")
		require.Greater(t, int(many.Load())*10, n, "too few said anything")
	}
}

func onlyLeaves(g agentgraph.Graph, reg agentgraph.Registry[string]) error {
	roster, err := agentgraph.ToRoster(g, reg)
	if err != nil {
		return err
	}
	if len(reg) != len(roster.Entries()) {
		return fmt.Errorf("%d vertices, %d nodes", len(roster.Entries()), len(reg))
	}
	for _, e := range roster.Entries() {
		if e.Kind != agentgraph.KindAtomic && e.Kind != agentgraph.KindExternal {
			return fmt.Errorf("%q is %s", e.Name, e.Kind)
		}
	}
	return nil
}

// contents is what is posted in a meeting, sorted, or nil where it does not come
// to rest.
func contents(m meeting, inputs []entry) []string {
	if m.Post(posts(m, inputs)...) != nil || m.Run(context.Background()) != nil {
		return nil
	}
	list := []string{}
	for _, p := range m.Log() {
		list = append(list, fmt.Sprintf("%s %q %q", p.From, p.To, p.Body))
	}
	slices.Sort(list)
	return list
}

// TestSameBytes: running twice gives the same bytes, and so does running in
// parallel.
func TestSameBytes(t *testing.T) {
	everyScript(t, scripts(500), func(seed uint64) string {
		s := newWriter(seed).script()
		roster, err := agentgraph.ToRoster(s.Graph.graph(), s.Registry.registry(&world{}, ""))
		if err != nil {
			return err.Error()
		}
		var first string
		for i, parallel := range []int{1, 1, 2, 8} {
			m := roster.With(agentgraph.Options{MaxTurns: s.MaxTurns, Parallel: parallel}).Open()
			if err := m.Post(posts(m, s.Actions[0].Posts)...); err != nil {
				return ""
			}
			err := m.Run(context.Background())
			bytes := asJSON(t, m.Log()) + asJSON(t, m.Pending()) + text(err)
			if i == 0 {
				first = bytes
			}
			if bytes != first {
				return fmt.Sprintf("run %d, parallel %d:\n%s\n%s", i, parallel, first, bytes)
			}
		}
		return ""
	})
}
