package agentgraph_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/filestore"
)

// celsius has a marshaler of its own.
type celsius struct{ degrees float64 }

func (c celsius) MarshalJSON() ([]byte, error) {
	return fmt.Appendf(nil, " { \"C\" : %g } ", c.degrees), nil
}

func (c *celsius) UnmarshalJSON(data []byte) error {
	var v struct{ C float64 }
	err := json.Unmarshal(data, &v)
	c.degrees = v.C
	return err
}

// label is a text that is a key, too.
type label struct{ s string }

func (l label) MarshalText() ([]byte, error)     { return []byte("<" + l.s + ">"), nil }
func (l *label) UnmarshalText(text []byte) error { l.s = string(text); return nil }

type record struct {
	Name   string            `json:"name,omitempty"`
	When   time.Time         `json:"when"`
	Data   []byte            `json:"data"`
	List   []int             `json:"list"`
	Map    map[label]float64 `json:"map"`
	Next   *record           `json:"next"`
	Any    any               `json:"any"`
	Raw    json.RawMessage   `json:"raw"`
	Number json.Number       `json:"number"`
	hidden int
}

// comesBack runs a step that sets a value, twice on one store, and requires that
// what is read is the same in the step, after it, and after it was skipped.
func comesBack[T any](t *testing.T, store agentgraph.Store, runID string, value any) T {
	t.Helper()
	var read []T
	get := func(s *agentgraph.Step) error {
		v, err := agentgraph.Get[T](s, "x")
		read = append(read, v)
		return err
	}
	for range 2 {
		r := agentgraph.NewResumable("job", func(s *agentgraph.Step) error {
			if err := s.Step("x", sets("x", value)); err != nil {
				return err
			}
			if err := get(s); err != nil {
				return err
			}
			return s.Step("in", func(s *agentgraph.Step) error { return get(s) }, agentgraph.Input("y", value))
		}, &agentgraph.ResumableOptions{Store: store})
		result, err := r.Run(context.Background(), runID, nil)
		require.NoError(t, err)
		require.Equal(t, result.Artifacts["x"], result.Artifacts["y"])
		requireTold(t, r, runID, result)
	}
	require.Len(t, read, 3, "the step in which it was read was skipped, too")
	for _, v := range read[1:] {
		require.Equal(t, read[0], v)
	}
	return read[0]
}

func TestValuesComeBack(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 6, time.FixedZone("east", 3600))
	files, err := filestore.Open(t.TempDir(), nil)
	require.NoError(t, err)
	defer func() { require.NoError(t, files.Close()) }()
	for i, store := range []agentgraph.Store{agentgraph.NewMemStore(), files} {
		id := func(name string) string { return fmt.Sprint(name, i) }
		require.True(t, at.Equal(comesBack[time.Time](t, store, id("time"), at)))
		require.Equal(t, []byte{0, 255, 1}, comesBack[[]byte](t, store, id("bytes"), []byte{0, 255, 1}))
		require.Nil(t, comesBack[map[string]int](t, store, id("nil map"), map[string]int(nil)))
		require.Nil(t, comesBack[[]int](t, store, id("nil slice"), []int(nil)))
		require.Equal(t, []int{}, comesBack[[]int](t, store, id("empty slice"), []int{}))
		require.Nil(t, comesBack[*record](t, store, id("nil pointer"), (*record)(nil)))
		require.Nil(t, comesBack[any](t, store, id("nil"), nil))
		require.Equal(t, json.RawMessage("null"), comesBack[json.RawMessage](t, store, id("nil raw"), json.RawMessage(nil)))
		require.Equal(t, celsius{36.6}, comesBack[celsius](t, store, id("marshaler"), celsius{36.6}))
		require.Equal(t, map[label]int{{"<k>"}: 1}, comesBack[map[label]int](t, store, id("key"), map[label]int{{"k"}: 1}))
		require.Equal(t, int64(math.MinInt64), comesBack[int64](t, store, id("int64"), int64(math.MinInt64)))
		require.Equal(t, uint64(math.MaxUint64), comesBack[uint64](t, store, id("uint64"), uint64(math.MaxUint64)))
		require.InDelta(t, math.MaxFloat64, comesBack[float64](t, store, id("float64"), math.MaxFloat64), 0)
		require.True(t, math.Signbit(comesBack[float64](t, store, id("-0"), math.Copysign(0, -1))))
		full := record{
			Name: "<&>\u2028\x00\U0001F600", When: at.UTC(), Data: []byte("data"), List: []int{}, Map: map[label]float64{{"<a>"}: 0.1},
			Next: &record{}, Any: map[string]any{"": []any{nil, true, "x", 1.5}}, Raw: json.RawMessage(`{"z":1,"a":1.0}`), Number: "1e400",
		}
		given := full
		given.Map, given.hidden = map[label]float64{{"a"}: 0.1}, 7
		full.Next.Raw = json.RawMessage("null")
		full.Next.Number = "0"
		require.Equal(t, full, comesBack[record](t, store, id("struct"), given))
	}
}

// TestNumbersKeepTheirDigits: whatever their size, as texts.
func TestNumbersKeepTheirDigits(t *testing.T) {
	store := agentgraph.NewMemStore()
	for i, digits := range []string{
		"9007199254740993", "-9007199254740993", "1e400", "1E-400", "1e-400", "20.0", "-0.0", "0.1e1",
		"123456789012345678901234567890.123456789012345678901234567890", "1e99999999999999999999", strings.Repeat("9", 10_000),
	} {
		require.Equal(t, json.Number(digits), comesBack[json.Number](t, store, fmt.Sprint("number", i), json.Number(digits)))
		require.Equal(t, digits, string(comesBack[json.RawMessage](t, store, fmt.Sprint("raw", i), json.RawMessage(digits))))
		require.Equal(t, `{"a":[`+digits+`]}`, string(comesBack[json.RawMessage](t, store, fmt.Sprint("deep", i), map[string]any{"a": []any{json.Number(digits)}})))
	}
	require.Equal(t, 9007199254740993, comesBack[int](t, store, "int", 9007199254740993))
}

// TestValuesThatJSONCannotHold: they fail the step, by name, and the run goes on as
// before without them.
func TestValuesThatJSONCannotHold(t *testing.T) {
	loop := map[string]any{}
	loop["again"] = loop
	for what, value := range map[string]any{
		"NaN":                 math.NaN(),
		"Inf":                 math.Inf(1),
		"-Inf":                []any{math.Inf(-1)},
		"channel":             make(chan int),
		"function":            map[string]any{"f": func() {}},
		"complex":             complex(1, 1),
		"loop":                loop,
		"number":              json.Number("1x"),
		"no JSON":             json.RawMessage(`{"a":}`),
		"two values":          json.RawMessage(`1 2`),
		"empty":               json.RawMessage(``),
		"text":                "a\xffb",
		"text in a struct":    record{Name: "\xc3\x28"},
		"text in an any":      []any{map[string]any{"a": "\xed\xa0\x80"}},
		"key":                 map[string]int{"\xff": 1},
		"key that is a label": map[label]int{{"\xff"}: 1},
		"marshaler":           rawly("\"\xff\""),
		"marshaler, no JSON":  rawly("{"),
		"raw":                 json.RawMessage("\"\xff\""),
		"deep":                json.RawMessage(strings.Repeat("[", 10_001) + strings.Repeat("]", 10_001)),
		"deeper":              json.RawMessage(strings.Repeat(`{"a":`, 100_000) + "1" + strings.Repeat("}", 100_000)),
		"deep lists":          nested(100_000),
		"a long chain":        chained(1_000_000),
	} {
		t.Run(what, func(t *testing.T) {
			store := agentgraph.NewMemStore()
			r := agentgraph.NewResumable("job", func(s *agentgraph.Step) error {
				for name, f := range map[string]func(*agentgraph.Step) error{
					"set": func(s *agentgraph.Step) error { s.Set("bad", value); s.Set("lost", 1); return nil },
					"do": func(s *agentgraph.Step) error {
						_, err := agentgraph.Do(s, "bad", func(context.Context) (any, error) { return value, nil })
						return err
					},
					"input": func(s *agentgraph.Step) error { return s.Step("x", sets("lost", 1), agentgraph.Input("bad", value)) },
					"ask":   func(s *agentgraph.Step) error { _, err := agentgraph.Ask[int](s, "bad", value); return err },
				} {
					requireBadArtifact(t, s.Step(name, f))
				}
				return nil
			}, &agentgraph.ResumableOptions{Store: store})
			result, err := r.Run(context.Background(), "run", map[string]any{"kept": 1})
			require.NoError(t, err)
			require.Equal(t, agentgraph.Artifacts{"kept": json.RawMessage("1")}, result.Artifacts)

			_, err = r.Run(context.Background(), "other", map[string]any{"bad": value})
			requireBadArtifact(t, err)
			requireBadArtifact(t, agentgraph.Answer(context.Background(), store, "run", "bad", value))
		})
	}
}

func requireBadArtifact(t *testing.T, err error) {
	t.Helper()
	var e *agentgraph.ArtifactError
	require.ErrorAs(t, err, &e)
	require.Equal(t, "bad", e.Artifact)
	require.Contains(t, err.Error(), `artifact "bad": `)
	require.Equal(t, 1, strings.Count(err.Error(), "agentgraph: "), err.Error())
	require.Less(t, len(err.Error()), 1_000)
}

// rawly is a marshaler that gives just this.
type rawly string

func (r rawly) MarshalJSON() ([]byte, error) { return []byte(r), nil }

func nested(n int) any {
	var v any
	for range n {
		v = []any{v}
	}
	return v
}

type link struct{ Next *link }

func chained(n int) (last *link) {
	for range n {
		last = &link{last}
	}
	return last
}

// TestDeepValues: whatever can be set is kept, and comes back, in every store.
func TestDeepValues(t *testing.T) {
	files, err := filestore.Open(t.TempDir(), nil)
	require.NoError(t, err)
	defer func() { require.NoError(t, files.Close()) }()
	for i, store := range []agentgraph.Store{agentgraph.NewMemStore(), files} {
		for _, n := range []int{1_000, 9_890, 9_900, 9_990, 10_000} {
			runID := fmt.Sprint(i, n)
			deep := json.RawMessage(strings.Repeat("[", n) + strings.Repeat("]", n))
			_, err := agentgraph.NewResumable("job", sets("x", deep), nil).Run(context.Background(), "", nil)
			if err != nil {
				requireStepError(t, err, "")
				require.Greater(t, n, 9_900, "%v", err)
				continue
			}
			require.Equal(t, deep, comesBack[json.RawMessage](t, store, runID, deep))
		}
	}
}

// TestLongValues: 16 MB are slow but no different.
func TestLongValues(t *testing.T) {
	long := strings.Repeat("0123456789abcdef", 1<<20)
	if agentgraph.RaceEnabled {
		long = long[:1<<20]
	}
	store := agentgraph.NewMemStore()
	r := agentgraph.NewResumable("job", func(s *agentgraph.Step) error {
		return s.Step("a", sets("x", long))
	}, &agentgraph.ResumableOptions{Store: store})
	for range 2 {
		result, err := r.Run(context.Background(), "run", nil)
		require.NoError(t, err)
		require.True(t, string(result.Artifacts["x"]) == `"`+long+`"`)
	}
}

// TestHostileArtifactNames: any text that is valid UTF-8 is a name like others.
func TestHostileArtifactNames(t *testing.T) {
	names := []string{"__proto__", "", "\x00", "constructor", "a\nb", `"`, `\`, "/", "#", "%", "\u2028", "é", "e\u0301", "\U0001F600", " ", "put", "ref", "agent state", "inputs\x00roster", strings.Repeat("n", 10_000)}
	store := agentgraph.NewMemStore()
	var ran int
	r := agentgraph.NewResumable("job", func(s *agentgraph.Step) error {
		for i, name := range names {
			err := s.Step("a", func(s *agentgraph.Step) error { ran++; s.Set(name, i); return nil }, agentgraph.Input("extra "+name, i))
			if err != nil {
				return err
			}
			v, err := agentgraph.Get[int](s, name)
			if err != nil || v != i {
				return fmt.Errorf("%q: %d, %w", name, v, err)
			}
		}
		for _, name := range names {
			s.Delete("extra " + name)
		}
		return nil
	}, &agentgraph.ResumableOptions{Store: store})
	for range 2 {
		result, err := r.Run(context.Background(), "run", nil)
		require.NoError(t, err)
		require.Equal(t, len(names), ran)
		want := agentgraph.Artifacts{}
		for i, name := range names {
			want[name] = json.RawMessage(fmt.Sprint(i))
		}
		require.Equal(t, want, result.Artifacts)
		requireTold(t, r, "run", result)
	}

	for _, bad := range []string{"\xff", "a\xc3", "\xed\xa0\x80"} {
		_, err := agentgraph.NewResumable("job", func(s *agentgraph.Step) error {
			s.Delete(bad)
			_, err := agentgraph.Get[int](s, bad)
			require.ErrorIs(t, err, agentgraph.ErrNoArtifact)
			s.Set(bad, 1)
			return nil
		}, nil).Run(context.Background(), "", nil)
		var e *agentgraph.ArtifactError
		require.ErrorAs(t, err, &e)
		require.Equal(t, bad, e.Artifact)
		require.ErrorContains(t, err, fmt.Sprintf("artifact %q: name is not valid UTF-8", bad))
	}
}

// TestHostileStepNames: they are told apart, in paths and in the journal.
func TestHostileStepNames(t *testing.T) {
	names := []string{"a", "a/b", "a%2Fb", "a#1", "a%231", "a", "#", "%", "\n", `"`, "'", "\x00", "é", "/", "//", "..", "a/b", " ", "__proto__", strings.Repeat("n", 10_000)}
	store := agentgraph.NewMemStore()
	var ran int
	r := agentgraph.NewResumable("job", func(s *agentgraph.Step) error {
		for i, name := range names {
			err := s.Step(name, func(s *agentgraph.Step) error {
				ran++
				return s.Step("in", sets("last", i))
			})
			if err != nil {
				return err
			}
		}
		return s.Step("a", func(s *agentgraph.Step) error { return s.Step("b", sets("in", "a, then b")) })
	}, &agentgraph.ResumableOptions{Store: store})
	for range 2 {
		result, err := r.Run(context.Background(), "run", nil)
		require.NoError(t, err)
		require.Equal(t, len(names), ran)
		for i, n := range result.Steps[:len(names)] {
			require.Equal(t, names[i], n.StepName)
		}
		requireTold(t, r, "run", result)
	}
}

// TestHostileRunIDs: a store keeps them apart, or says that it cannot.
func TestHostileRunIDs(t *testing.T) {
	files, err := filestore.Open(t.TempDir(), nil)
	require.NoError(t, err)
	defer func() { require.NoError(t, files.Close()) }()
	for _, store := range []agentgraph.Store{agentgraph.NewMemStore(), files} {
		var ran []string
		job := func(runID string) *agentgraph.Resumable {
			return agentgraph.NewResumable("job", func(s *agentgraph.Step) error {
				return s.Step("a", func(s *agentgraph.Step) error { ran = append(ran, runID); s.Set("id", runID); return nil })
			}, &agentgraph.ResumableOptions{Store: store})
		}
		good := []string{"a", "A", "../x", "..", ".", "CON", "a/b", "a%2fb", "é", "e\u0301", "\U0001F600", " ", strings.Repeat("x", 512), "*", "a.jsonl"}
		for range 2 {
			for _, runID := range good {
				result, err := job(runID).Run(context.Background(), runID, nil)
				require.NoError(t, err, runID)
				require.Equal(t, runID, result.RunID)
				require.Equal(t, asJSON(t, runID), string(result.Artifacts["id"]))
			}
		}
		require.Equal(t, good, ran)
		for _, runID := range []string{"\x00", "a\nb", "\xff", strings.Repeat("x", 513)} {
			_, err := job(runID).Run(context.Background(), runID, nil)
			require.ErrorIs(t, err, agentgraph.ErrBadRunID)
			requireStepError(t, err, "")
			require.Less(t, len(err.Error()), 2_000)
			_, err = job(runID).StepsRun(context.Background(), runID)
			require.ErrorIs(t, err, agentgraph.ErrBadRunID)
			require.ErrorIs(t, agentgraph.Answer(context.Background(), store, runID, "q", 1), agentgraph.ErrBadRunID)
		}
		require.Equal(t, good, ran)
	}
}

// TestNobodyChangesAValue: what a caller keeps hold of is not what the library has.
func TestNobodyChangesAValue(t *testing.T) {
	raw := json.RawMessage(`"aaaa"`)
	given := map[string]any{"in": raw}
	r := agentgraph.NewResumable("job", func(s *agentgraph.Step) error {
		overwrite(raw)
		s.Set("set", json.RawMessage(`"bbbb"`))
		overwriteAll(s.Artifacts())
		got, err := agentgraph.Get[json.RawMessage](s, "in")
		if err != nil {
			return err
		}
		overwrite(got)
		mine := json.RawMessage(`"cccc"`)
		x := agentgraph.Input("extra", mine)
		overwrite(mine)
		return s.Step("a", func(s *agentgraph.Step) error {
			own := json.RawMessage(`"dddd"`)
			s.Set("own", own)
			overwrite(own)
			return nil
		}, x)
	}, nil)
	result, err := r.Run(context.Background(), "", given)
	require.NoError(t, err)
	want := agentgraph.Artifacts{"in": json.RawMessage(`"aaaa"`), "set": json.RawMessage(`"bbbb"`), "extra": json.RawMessage(`"cccc"`), "own": json.RawMessage(`"dddd"`)}
	require.True(t, reflect.DeepEqual(want, result.Artifacts), "%s", asJSON(t, result.Artifacts))
	overwriteNodes(result.Steps)
	require.True(t, reflect.DeepEqual(want, result.Artifacts))
}

// TestGetThatDoesNotFit: an error that names the artifact.
func TestGetThatDoesNotFit(t *testing.T) {
	_, err := agentgraph.NewResumable("job", func(s *agentgraph.Step) error {
		s.Set("bad", "text")
		_, err := agentgraph.Get[int](s, "bad")
		requireBadArtifact(t, err)
		_, err = agentgraph.Get[int](s, "absent")
		require.ErrorIs(t, err, agentgraph.ErrNoArtifact)
		require.EqualError(t, err, `agentgraph: artifact "absent": no such artifact`)
		_, err = agentgraph.Get[func()](s, "bad")
		requireBadArtifact(t, err)
		s.Set("bad", json.Number("1e400"))
		_, err = agentgraph.Get[float64](s, "bad")
		requireBadArtifact(t, err)
		var wrong *json.UnmarshalTypeError
		require.True(t, errors.As(err, &wrong))
		return nil
	}, nil).Run(context.Background(), "", nil)
	require.NoError(t, err)
}
