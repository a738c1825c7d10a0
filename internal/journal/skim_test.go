package journal

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed-a2b66b4f/agentgraph/internal/canon"
	"github.com/seed-a2b66b4f/agentgraph/internal/snapshot"
)

// TestSkimIsSure of whatever a writer writes.
func TestSkimIsSure(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := &chronicle{log: &tape{}, key: snapshot.NewKey(), steps: map[int]*record{}}
		for i := range rapid.IntRange(1, 3).Draw(t, "attempts") {
			c.attempt(t, string(rune('a'+i)))
			for range rapid.IntRange(0, 6).Draw(t, "steps") {
				c.step(t)
			}
		}
		s := NewSkim()
		for _, l := range c.log.lines {
			g, sure := s.Add(l.Kind, l.Data)
			require.True(t, sure, "%s %s", l.Kind, l.Data)
			require.True(t, g.Own)
		}
	})
}

// TestSkimKnowsTheFields: an entry of any field, in the order in which a writer has
// them.
func TestSkimKnowsTheFields(t *testing.T) {
	d := &Draft{}
	v := reflect.ValueOf(&d.Entry).Elem()
	for i := range v.NumField() {
		switch f := v.Field(i); f.Interface().(type) {
		case string:
			f.SetString(`t"`)
		case int, int64:
			f.SetInt(7)
		case []int:
			f.Set(reflect.ValueOf([]int{3, 12}))
		case []int64:
			f.Set(reflect.ValueOf([]int64{3, -12}))
		case []uint64:
			f.Set(reflect.ValueOf([]uint64{3}))
		case [][]int:
			f.Set(reflect.ValueOf([][]int{{1}, {}}))
		case []string:
			f.Set(reflect.ValueOf([]string{"a", `"`}))
		case json.RawMessage:
			f.Set(reflect.ValueOf(json.RawMessage(`{"x":[1]}`)))
		case map[string]string, *Delta, uint64: // from the draft, and from the log
		default:
			t.Fatalf("%s: a field that the skim does not know", v.Type().Field(i).Name)
		}
	}
	d.By = "b"
	d.Also = []Digest{{"post", "p"}}
	value, err := snapshot.NewValue(json.RawMessage(long("x")))
	require.NoError(t, err)
	d.Given, d.Set = []snapshot.Change{{Name: `"`, After: value}}, []snapshot.Change{{Name: "r", After: value}, {Name: "gone"}}
	d.States = []snapshot.Change{{Name: "s", After: value}}
	var e glance
	data := NewHistory(snapshot.NewKey()).encode(d)
	require.NoError(t, canon.Members(data, e.take), string(data))
	require.Equal(t, 30, e.rank, "the last field")
	require.Equal(t, []int{7, 7, 7, 7, 3}, []int{e.id, e.on, e.to, e.format, e.of})
	require.Equal(t, `"t\""`, string(e.status))
}

// both takes in lines, each a kind, a space and its data, and requires that what the
// skim is sure of is so. It returns whether it was sure to the end.
func both(t require.TestingT, lines string) bool {
	h, s := NewHistory(snapshot.NewKey()), NewSkim()
	for line := range strings.SplitSeq(lines, "\n") {
		kind, data, _ := strings.Cut(line, " ")
		g, sure := s.Add(kind, json.RawMessage(data))
		if !sure {
			return false
		}
		before := entries(h)
		require.NoError(t, h.Add(kind, 1, time.Unix(0, 0), json.RawMessage(data)), lines)
		require.Equal(t, g.Own, entries(h) > before, lines)
		if g.Own {
			requireGist(t, g, h.Attempts[len(h.Attempts)-1], kind)
		}
	}
	return true
}

// entries counts attempts and what they wrote.
func entries(h *History) int {
	n := len(h.Attempts)
	for _, a := range h.Attempts {
		n += len(a.Entries)
	}
	return n
}

func requireGist(t require.TestingT, g Gist, a *Attempt, kind string) {
	switch kind {
	case KindAttempt:
		require.Equal(t, a.Entry.Name, g.Name)
	case KindTurn, KindEnd:
		e := a.Entries[len(a.Entries)-1]
		require.Equal(t, e.Status, g.Status)
		require.Equal(t, e.Error, g.Error)
	}
}

// TestSkimIsNotSure of what a history refuses, nor of what is written otherwise.
func TestSkimIsNotSure(t *testing.T) {
	const attempt = `attempt {"by":"a","id":1,"given":{"put":{"x":"` + "0123456789012345678901234567890123456789012345678901234567890123" + `"}},"format":1}` + "\n"
	require.True(t, both(t, attempt+`step {"by":"a","id":2,"step":"s","on":1,"set":{"put":{"y":1},"ref":{"z":[1,0,"x"]},"del":["x"]}}`))
	require.True(t, both(t, attempt+`alive {"by":"a","at":7}`))
	require.True(t, both(t, attempt+`step {"by":"late","id":2,"on":9,"set":{"ref":{"y":[7,0,"z"]}}}`), "a history passes it over")
	for _, lines := range []string{
		`step {"by":"a"}`,
		`attempt {"by":"a","id":1,"format":2}`,
		`attempt {"by":"a","id":1}`,
		attempt + `step {"by":"a","id":2,"on":3}`,
		attempt + `step {"by":"a","id":2}`,
		attempt + `step {"by":"a","id":2,"on":1,"set":{"ref":{"y":[1,0,"z"]}}}`,
		attempt + `step {"by":"a","id":2,"on":1,"set":{"ref":{"y":[1,1,"y"]}}}`,
		attempt + `step {"by":"a","id":2,"on":1,"set":{"ref":{"y":null}}}`,
		attempt + `step {"by":"a","id":2,"on":1,"set":[]}`,
		attempt + `step {"by":"a","id":2,"on":1,"set":{"put":{"deep":` + strings.Repeat("[", 9_950) + strings.Repeat("]", 9_950) + `}}}`,
		attempt + `step {"by":"a","id":2,"on":1,"set":{"put":{"y":` + long("y") + `},"del":["y"]}}` + "\n" + `step {"by":"a","id":3,"on":1,"set":{"ref":{"y":[2,1,"y"]}}}`,
		attempt + `step {"by":"a","id":2,"on":1,"set":{"put":{"y":` + long("y") + `}}}` + "\n" + `step {"by":"a","id":2}` + "\n" + `step {"by":"a","id":3,"on":1,"set":{"ref":{"y":[2,1,"y"]}}}`,
		attempt + `turn {"by":"a","id":2,"to":5}`,
		attempt + `turn {"by":"a","id":2,"to":1}` + "\n" + `turn {"by":"a","id":2,"to":1}`,
		attempt + `step {"by":"late","set":{"ref":{"y":1}}}`,
		attempt + `turn {"by":"a","id":2,"given":7,"to":1}`,
		attempt + `answer {"states":[]}`,
		attempt + `meeting {"by":"a","id":2,"of":[7]}`,
		attempt + `fail {"by":"a","id":2,"on":1,"extra":[1]}`,
		attempt + `fail {"by":"a","id":2,"on":1,"error":{}}`,
		attempt + `fail {"id":2,"by":"a","on":1}`,
		attempt + `fail {"by":"a","id":2,"ID":9,"on":1}`,
		attempt + `ask {"by":"a","id":1000000000}`,
		attempt + `end {`,
		attempt + attempt[:len(attempt)-1],
	} {
		require.False(t, both(t, lines), lines)
	}
}

// TestSkimOfChangedLogs: lines of a writer that were lost, doubled or changed a little.
func TestSkimOfChangedLogs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := &chronicle{log: &tape{}, key: snapshot.NewKey(), steps: map[int]*record{}}
		for i := range rapid.IntRange(1, 2).Draw(t, "attempts") {
			c.attempt(t, string(rune('a'+i)))
			for range rapid.IntRange(1, 5).Draw(t, "steps") {
				c.step(t)
			}
		}
		var lines []string
		for _, l := range c.log.lines {
			lines = append(lines, l.Kind+" "+string(l.Data))
		}
		at := rapid.IntRange(0, len(lines)-1).Draw(t, "at")
		switch rapid.IntRange(0, 3).Draw(t, "change") {
		case 0:
			lines = slices.Delete(lines, at, at+1)
		case 1:
			lines = slices.Insert(lines, rapid.IntRange(0, len(lines)).Draw(t, "to"), lines[at])
		case 2:
			pair := rapid.SampledFrom([][2]string{{`"id":`, `"id":1`}, {`"on":`, `"on":1`}, {`"put"`, `"ref"`}, {`"ref"`, `"put"`}, {",0,", ",1,"}, {"[", `["`}, {"step ", "begin "}, {"fail ", "step "}, {`"given"`, `"set"`}}).Draw(t, "replace")
			lines[at] = strings.Replace(lines[at], pair[0], pair[1], 1)
		case 3:
			data := []byte(lines[at])
			data[rapid.IntRange(0, len(data)-1).Draw(t, "byte")] = rapid.SampledFrom([]byte(`0123"[]{},:ab\`)).Draw(t, "new")
			lines[at] = string(data)
		}
		both(t, strings.Join(lines, "\n"))
	})
}

// FuzzSkim: what it is sure of, a history takes in.
func FuzzSkim(f *testing.F) {
	attempt := `attempt {"by":"a","id":1,"given":{"put":{"x":` + long("x") + `}},"format":1}` + "\n"
	f.Add(attempt + `step {"by":"a","id":2,"at":3,"step":"s","index":[0],"on":1,"set":{"put":{"y":2},"ref":{"z":[1,0,"x"]},"del":["x"]},"states":{"put":{"a":` + long("y") + `}}}`)
	f.Add(attempt + `begin {"by":"a","id":2,"step":"m","on":1}` + "\n" + `meeting {"by":"a","id":3,"step":"m","to":2,"value":[]}` + "\n" + `meeting {"by":"a","id":4,"of":[3]}` + "\n" +
		`turn {"by":"a","id":5,"agent":"t/x","also":{"post":"p"},"to":2,"post":"p","rooms":["t"]}` + "\n" + `took {"by":"a","of":[5,6],"ats":[1],"to":2,"nodes":[[1,2]]}`)
	f.Add(attempt + `ask {"by":"a","id":3,"step":"q","to":1,"seat":"x","value":1}` + "\n" + `answer {"step":"q","to":3,"seat":"x","value":[]}` + "\n" + `end {"by":"a","id":9,"on":1,"status":"done"}` + "\n" + `attempt {"by":"b","id":10,"format":1}`)
	f.Fuzz(func(t *testing.T, lines string) { both(t, lines) })
}
