package snapshot

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// The texts are few, so that values often meet, and some are equal without being
// the same text.
var texts = []string{`1`, `1.0`, `10e-1`, `2`, `null`, `""`, `"a"`, `"\u0061"`, `{"a":1,"b":2}`, `{"b":2,"a":1}`, `[1,2]`, `[2,1]`}

// model is a set of values in a plain map.
type model map[string]*Value

func drawName(t *rapid.T) string {
	return rapid.SampledFrom([]string{"", "a", "b", "c", "aa", "__proto__", "\x00", "é", "z"}).Draw(t, "name")
}

func drawValue(t *rapid.T) *Value {
	v, err := NewValue(json.RawMessage(rapid.SampledFrom(texts).Draw(t, "value")))
	require.NoError(t, err)
	return v
}

// drawMap makes a set in many steps, and the same in the model.
func drawMap(t *rapid.T, m Map, plain model) (Map, model) {
	plain = maps.Clone(plain)
	for range rapid.IntRange(0, 20).Draw(t, "steps") {
		name := drawName(t)
		if rapid.Bool().Draw(t, "remove") {
			m = m.Without(name)
			delete(plain, name)
			continue
		}
		v := drawValue(t)
		m = m.With(name, v)
		plain[name] = v
	}
	return m, plain
}

func (m model) names() []string {
	names := slices.AppendSeq([]string{}, maps.Keys(m))
	slices.Sort(names)
	return names
}

func (m model) equal(o model) bool {
	return maps.EqualFunc(m, o, (*Value).Equal)
}

// requireModel checks all that can be read of a set.
func requireModel(t *rapid.T, m Map, plain model) {
	require.Equal(t, len(plain), m.Len())
	names := []string{}
	for name, v := range m.All() {
		names = append(names, name)
		require.Same(t, plain[name], v, name)
		require.Same(t, v, m.Get(name), name)
	}
	require.Equal(t, plain.names(), names)
	for _, name := range []string{"", "a", "absent", "\x00"} {
		if plain[name] == nil {
			require.Nil(t, m.Get(name), name)
		}
	}
}

func TestMapIsAPlainMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		first, plain := drawMap(t, NewKey().Empty(), model{})
		requireModel(t, first, plain)
		second, other := drawMap(t, first, plain)
		requireModel(t, second, other)
		requireModel(t, first, plain) // it did not change
	})
}

func TestAllStops(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, plain := drawMap(t, NewKey().Empty(), model{})
		n := rapid.IntRange(0, 10).Draw(t, "n")
		var names []string
		for name := range m.All() {
			if len(names) == n {
				break
			}
			names = append(names, name)
		}
		require.Equal(t, min(n, len(plain)), len(names))
		require.Equal(t, plain.names()[:len(names)], append([]string{}, names...))
	})
}

// TestSumIsTheSet: equal sets have equal sums and others have not, however they
// came about.
func TestSumIsTheSet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		key := NewKey()
		m, plain := drawMap(t, key.Empty(), model{})
		other, _ := drawMap(t, rapid.SampledFrom([]Map{m, key.Empty()}).Draw(t, "from"), model{})
		if m.Sum() == other.Sum() != plain.equal(plainOf(other)) {
			t.Fatalf("sums are equal: %t; sets: %v and %v", m.Sum() == other.Sum(), plain, plainOf(other))
		}
		again := key.Empty()
		for _, name := range rapid.Permutation(plain.names()).Draw(t, "order") {
			again = again.With(name, plain[name])
		}
		require.Equal(t, m.Sum(), again.Sum())
		require.Equal(t, shapeOf(m.root), shapeOf(again.root), "one shape for one set of names")
	})
}

func plainOf(m Map) model {
	plain := model{}
	for name, v := range m.All() {
		plain[name] = v
	}
	return plain
}

// shapeOf writes a tree down.
func shapeOf(n *node) string {
	if n == nil {
		return "."
	}
	return "(" + shapeOf(n.left) + n.name + shapeOf(n.right) + ")"
}

// TestTreeIsInOrder: names by order, ranks by height, and sums of what is below.
func TestTreeIsInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, _ := drawMap(t, NewKey().Empty(), model{})
		requireTree(t, m.root)
	})
}

func requireTree(t *rapid.T, n *node) {
	if n == nil {
		return
	}
	for _, child := range []*node{n.left, n.right} {
		if child != nil {
			require.True(t, n.over(child))
		}
	}
	require.Equal(t, n.term().Plus(n.left.total()).Plus(n.right.total()), n.sum)
	requireTree(t, n.left)
	requireTree(t, n.right)
}

// TestDiffs: both give what going through all names gives, also for sets that have
// no history in common, and applying them leads from one to the other.
func TestDiffs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		key := NewKey()
		before, plain := drawMap(t, key.Empty(), model{})
		after, other := before, plain
		if rapid.Bool().Draw(t, "apart") {
			after, other = key.Empty(), model{}
		}
		after, other = drawMap(t, after, other)
		require.Equal(t, naive(plain, other, (*Value).Same), Rewritten(before, after))
		require.Equal(t, naive(plain, other, (*Value).Equal), Changed(before, after))

		led := before
		for _, c := range Rewritten(before, after) {
			if c.After == nil {
				led = led.Without(c.Name)
			} else {
				led = led.With(c.Name, c.After)
			}
		}
		requireModel(t, led, plainOf(led))
		require.Empty(t, Rewritten(led, after))
		require.Equal(t, after.Sum(), led.Sum())
		requireModel(t, before, plain)
		requireModel(t, after, other)
	})
}

// naive goes through all names.
func naive(before, after model, same func(v, w *Value) bool) []Change {
	all := maps.Clone(before)
	maps.Copy(all, after)
	var changes []Change
	for _, name := range all.names() {
		if !same(before[name], after[name]) {
			changes = append(changes, Change{name, before[name], after[name]})
		}
	}
	return changes
}

// TestSumsOfKeysDiffer: nobody outside can foresee a sum.
func TestSumsOfKeysDiffer(t *testing.T) {
	v, err := NewValue(json.RawMessage("1"))
	require.NoError(t, err)
	require.NotEqual(t, NewKey().Empty().With("a", v).Sum(), NewKey().Empty().With("a", v).Sum())
	k := NewKey()
	require.NotEqual(t, k.Empty().With("a", v).Sum(), k.Empty().With("b", v).Sum())
	require.NotEqual(t, k.Empty().Sum(), k.Empty().With("a", v).Sum())
	require.Equal(t, k.Term("a", v.Sum), k.Empty().With("a", v).Sum())
}

func TestValues(t *testing.T) {
	value := func(raw string) *Value {
		v, err := NewValue(json.RawMessage(raw))
		require.NoError(t, err)
		return v
	}
	one, alike, two := value("1"), value("1.0"), value("2")
	for _, c := range []struct {
		v, w        *Value
		same, equal bool
	}{
		{one, value("1"), true, true}, {one, alike, false, true}, {one, two, false, false},
		{one, nil, false, false}, {nil, one, false, false}, {nil, nil, true, true},
	} {
		require.Equal(t, c.same, c.v.Same(c.w))
		require.Equal(t, c.equal, c.v.Equal(c.w))
	}
	_, err := NewValue(json.RawMessage("{"))
	require.Error(t, err)
}
