package journal

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/exp/maps"
	"pgregory.net/rapid"

	"github.com/seed-a2b66b4f/agentgraph/internal/snapshot"
)

var kindNames = []string{KindAttempt, KindBegin, KindStep, KindFail, KindSkip, KindMeeting, KindTurn, KindTook, KindAsk, KindAnswer, KindAlive, KindEnd}

// long is a text that is worth a reference.
func long(mark string) string { return `"` + strings.Repeat(mark, worthRef) + `"` }

// rawTexts are few, so that values meet; those that are equal have other texts.
var rawTexts = []string{`1`, `1.0`, `null`, `"a"`, `{"a":[1,{"b":null}]}`, long("x"), long("y"), `[` + long("z") + `,1]`, `[` + long("z") + `, 1.0]`}

func drawRaw(t *rapid.T) json.RawMessage {
	return json.RawMessage(rapid.SampledFrom(rawTexts).Draw(t, "raw"))
}

func maybeRaw(t *rapid.T) json.RawMessage {
	if rapid.Bool().Draw(t, "none") {
		return nil
	}
	return drawRaw(t)
}

func drawText(t *rapid.T) string {
	return rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", "a", "a/b#1", "<&>", "\u2028", "\x00", `"\`, "é", "\U0001F600", "put"})).Draw(t, "text")
}

func orNil[T any](list []T) []T {
	if len(list) == 0 {
		return nil
	}
	return list
}

func drawInts(t *rapid.T) []int { return orNil(rapid.SliceOfN(rapid.Int(), 0, 3).Draw(t, "ints")) }

func drawChanges(t *rapid.T) []snapshot.Change {
	names := rapid.SliceOfNDistinct(rapid.Custom(drawText), 0, 4, rapid.ID[string]).Draw(t, "names")
	var changes []snapshot.Change
	for _, name := range names {
		c := snapshot.Change{Name: name}
		if rapid.Bool().Draw(t, "kept") {
			v, err := snapshot.NewValue(drawRaw(t))
			require.NoError(t, err)
			c.After = v
		}
		changes = append(changes, c)
	}
	return changes
}

func drawDraft(t *rapid.T) *Draft {
	d := &Draft{}
	d.Kind = rapid.SampledFrom(kindNames).Draw(t, "kind")
	d.By, d.Step, d.Agent, d.Status, d.Error, d.Name = drawText(t), drawText(t), drawText(t), drawText(t), drawText(t), drawText(t)
	d.Post, d.Seat = drawText(t), drawText(t)
	d.ID, d.On, d.Format, d.To, d.N = rapid.Int().Draw(t, "id"), rapid.Int().Draw(t, "on"), rapid.Int().Draw(t, "format"), rapid.Int().Draw(t, "to"), rapid.Int().Draw(t, "n")
	d.At = rapid.Int64().Draw(t, "at")
	d.Index, d.Of = drawInts(t), drawInts(t)
	d.Ats = orNil(rapid.SliceOfN(rapid.Int64(), 0, 3).Draw(t, "ats"))
	d.Extra = orNil(rapid.SliceOfN(rapid.Custom(drawText), 0, 3).Draw(t, "extra"))
	d.Rooms = orNil(rapid.SliceOfN(rapid.Custom(drawText), 0, 3).Draw(t, "rooms"))
	d.Answers = orNil(rapid.SliceOfN(rapid.Uint64(), 0, 3).Draw(t, "answers"))
	for range rapid.IntRange(0, 3).Draw(t, "nodes") {
		d.Nodes = append(d.Nodes, rapid.SliceOfN(rapid.Int(), 0, 3).Draw(t, "node"))
	}
	d.Value, d.State, d.Heard, d.Inputs = maybeRaw(t), maybeRaw(t), maybeRaw(t), maybeRaw(t)
	d.Given, d.Set, d.States = drawChanges(t), drawChanges(t), drawChanges(t)
	for _, name := range rapid.SliceOfNDistinct(rapid.Custom(drawText), 0, 3, rapid.ID[string]).Draw(t, "also") {
		d.Also = append(d.Also, Digest{name, rapid.StringN(1, 5, -1).Draw(t, "digest")})
	}
	return d
}

// written is what a draft should be when it is read: what the log held already is
// referred to.
func written(d *Draft, held map[string]Ref) *Entry {
	e := d.Entry
	e.Given = writtenDelta(d.ID, Given, d.Given, held)
	for _, part := range d.Also {
		if e.Also == nil {
			e.Also = map[string]string{}
		}
		e.Also[part.Name] = part.Text
	}
	e.Set = writtenDelta(d.ID, Set, d.Set, held)
	e.States = writtenDelta(d.ID, States, d.States, held)
	return &e
}

func writtenDelta(id int, part Part, changes []snapshot.Change, held map[string]Ref) *Delta {
	if len(changes) == 0 {
		return nil
	}
	d := &Delta{}
	for _, c := range changes {
		if c.After == nil {
			d.Del = append(d.Del, c.Name)
			continue
		}
		if ref, ok := held[string(c.After.Raw)]; ok {
			if d.Ref == nil {
				d.Ref = map[string]Ref{}
			}
			d.Ref[c.Name] = ref
			continue
		}
		if d.Put == nil {
			d.Put = map[string]json.RawMessage{}
		}
		d.Put[c.Name] = c.After.Raw
		if len(c.After.Raw) >= worthRef && !alike(held, c.After) {
			held[string(c.After.Raw)] = Ref{id, part, c.Name}
		}
	}
	return d
}

// alike: of equal values only the first is referred to.
func alike(held map[string]Ref, v *snapshot.Value) bool {
	for raw := range held {
		if w, err := snapshot.NewValue(json.RawMessage(raw)); err == nil && w.Equal(v) {
			return true
		}
	}
	return false
}

// TestDraftsRoundTrip: what is written down is what is read, by either decoder.
func TestDraftsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := NewHistory(snapshot.NewKey())
		held := map[string]Ref{}
		for range rapid.IntRange(1, 3).Draw(t, "drafts") {
			d := drawDraft(t)
			want := written(d, held)
			data := h.encode(d)
			require.True(t, json.Valid(data), string(data))
			var plain Entry
			require.NoError(t, json.Unmarshal(data, &plain))
			plain.Kind = d.Kind
			require.Equal(t, want, &plain, string(data))
			quick := Entry{Kind: d.Kind}
			require.NoError(t, decode(data, &quick))
			require.Equal(t, want, &quick, string(data))
		}
	})
}

// chronicle is what a writer has written, kept in plain maps.
type chronicle struct {
	log   *tape
	w     *Writer
	key   *snapshot.Key
	steps map[int]*record
	last  *Attempt
}

// record is what should be known of a step.
type record struct {
	in, out, left snapshot.Map
	path          string
	status        string
	also          []Digest
}

func (c *chronicle) attempt(t *rapid.T, by string) {
	input := drawSet(t, c.key.Empty())
	w, h, err := Open(context.Background(), c.log, c.key, func(*History) (*Draft, time.Time) {
		d := &Draft{Given: snapshot.Rewritten(c.key.Empty(), input)}
		d.By = by
		return d, time.Unix(0, 0)
	}, func(err error) { t.Errorf("lost: %v", err) })
	require.NoError(t, err)
	c.w, c.last = w, h.Attempts[len(h.Attempts)-1]
	c.steps[c.last.Entry.ID] = &record{in: input, out: input, left: c.key.Empty()}
}

func drawSet(t *rapid.T, m snapshot.Map) snapshot.Map {
	for range rapid.IntRange(0, 4).Draw(t, "changes") {
		name := rapid.SampledFrom([]string{"", "a", "b", "<c>", "\x00"}).Draw(t, "name")
		if rapid.IntRange(0, 3).Draw(t, "remove") == 0 {
			m = m.Without(name)
			continue
		}
		v, err := snapshot.NewValue(drawRaw(t))
		require.NoError(t, err)
		m = m.With(name, v)
	}
	return m
}

// step writes a step that starts from a state that the log knows.
func (c *chronicle) step(t *rapid.T) {
	known := maps.Keys(c.steps)
	on := rapid.SampledFrom(sortedInts(known)).Draw(t, "on")
	base := c.steps[on]
	r := &record{path: rapid.SampledFrom([]string{"a", "b/c", "b/c#1"}).Draw(t, "path"), in: drawSet(t, base.out)}
	r.out, r.left = drawSet(t, r.in), drawSet(t, c.key.Empty())
	if rapid.Bool().Draw(t, "also") {
		r.also = []Digest{{"post", rapid.SampledFrom([]string{"p", "q"}).Draw(t, "digest")}}
	}
	begin := &Draft{Given: snapshot.Rewritten(base.out, r.in), Also: r.also}
	begin.Kind, begin.ID, begin.On, begin.Step, begin.Index = KindBegin, c.w.Number(), on, r.path, []int{0}
	end := &Draft{}
	end.Kind, end.ID = KindStep, begin.ID
	if rapid.Bool().Draw(t, "in one") {
		end, begin = begin, nil
		end.Kind = KindStep
	} else {
		c.w.Note(begin)
	}
	r.status = Done
	if rapid.IntRange(0, 3).Draw(t, "fails") == 0 {
		end.Kind, end.Status, end.Error = KindFail, Failed, "boom"
		r.out, r.left, r.status = r.in, c.key.Empty(), Failed
	} else {
		end.Set, end.States = snapshot.Rewritten(r.in, r.out), snapshot.Rewritten(c.key.Empty(), r.left)
	}
	require.NoError(t, c.w.Write(context.Background(), end))
	c.steps[end.ID] = r
}

func sortedInts(list []int) []int {
	for i := range list {
		for j := range i {
			if list[i] < list[j] {
				list[i], list[j] = list[j], list[i]
			}
		}
	}
	return list
}

// TestHistoryIsWhatWasWritten: a log that is read gives every state back, to the
// byte, and finds a step by its path and input and by nothing else.
func TestHistoryIsWhatWasWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := &chronicle{log: &tape{}, key: snapshot.NewKey(), steps: map[int]*record{}}
		for i := range rapid.IntRange(1, 3).Draw(t, "attempts") {
			c.attempt(t, string(rune('a'+i)))
			for range rapid.IntRange(0, 6).Draw(t, "steps") {
				c.step(t)
			}
		}
		h := NewHistory(c.key)
		end, err := h.Read(context.Background(), c.log, 0)
		require.NoError(t, err)
		require.Equal(t, uint64(len(c.log.lines)), end)
		for id, want := range c.steps {
			got := h.Step(id)
			require.NotNil(t, got)
			require.Equal(t, want.path, got.Path)
			require.Equal(t, want.status, got.Status)
			require.Empty(t, snapshot.Rewritten(want.in, got.In))
			require.Empty(t, snapshot.Rewritten(want.out, got.Out))
			require.Empty(t, snapshot.Rewritten(want.left, got.Left))
		}
		for _, want := range c.steps {
			found := h.Find(want.path, h.Input(want.in, want.also))
			newest := 0
			for id, other := range c.steps {
				if other.status == Done && other.path == want.path && h.Input(other.in, other.also) == h.Input(want.in, want.also) {
					newest = max(newest, id)
				}
			}
			require.Equal(t, h.Step(newest), found)
		}
	})
}
