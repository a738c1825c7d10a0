package natsstore_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/adapters/natsstore"
)

// list is what pages reads, three at a time, while steps change it.
type list struct {
	names []string
	steps []func(names []string) []string
}

func (l *list) page(offset int) ([]string, int, error) {
	if len(l.steps) > 0 {
		l.names = l.steps[0](l.names)
		l.steps = l.steps[1:]
	}
	from := min(offset, len(l.names))
	return l.names[from:min(from+3, len(l.names))], len(l.names), nil
}

func without(gone ...string) func([]string) []string {
	return func(names []string) []string {
		return slices.DeleteFunc(slices.Clone(names), func(n string) bool { return slices.Contains(gone, n) })
	}
}

func with(more ...string) func([]string) []string {
	return func(names []string) []string {
		return slices.Sorted(slices.Values(append(slices.Clone(names), more...)))
	}
}

func same(names []string) []string { return names }

// TestPages: each name once, and all that are there throughout.
func TestPages(t *testing.T) {
	letters := []string{"b", "c", "d", "e", "f", "g", "h", "i"}
	for name, c := range map[string]struct {
		steps []func([]string) []string
		want  []string
	}{
		"nothing changes":        {nil, letters},
		"some before go":         {[]func([]string) []string{same, without("b", "c")}, letters},
		"all before go":          {[]func([]string) []string{same, without("b", "c", "d")}, letters},
		"the last seen goes":     {[]func([]string) []string{same, without("d")}, letters},
		"some before come":       {[]func([]string) []string{same, with("a", "a1", "a2", "a3")}, letters},
		"some beyond go":         {[]func([]string) []string{same, without("e", "f")}, []string{"b", "c", "d", "g", "h", "i"}},
		"all beyond go":          {[]func([]string) []string{same, without("e", "f", "g", "h", "i")}, []string{"b", "c", "d"}},
		"all go":                 {[]func([]string) []string{same, without(letters...)}, []string{"b", "c", "d"}},
		"before go, twice":       {[]func([]string) []string{same, without("b", "c"), without("d", "e")}, []string{"b", "c", "d", "f", "g", "h", "i"}},
		"one goes and one comes": {[]func([]string) []string{same, func(n []string) []string { return with("a")(without("c")(n)) }}, letters},
		"empty":                  {[]func([]string) []string{without(letters...)}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			l := &list{names: letters, steps: c.steps}
			var got []string
			give := func(name string) bool { got = append(got, name); return true }
			require.NoError(t, natsstore.Pages(within(t), give, l.page))
			require.Equal(t, c.want, got)
		})
	}
	stop := errors.New("stop")
	never := func(string) bool { return true }
	require.ErrorIs(t, natsstore.Pages(within(t), never, func(int) ([]string, int, error) { return nil, 0, stop }), stop)
	ctx, cancel := context.WithCancel(within(t))
	cancel()
	require.ErrorIs(t, natsstore.Pages(ctx, never, (&list{names: letters}).page), context.Canceled)
}

// TestMoreRunsThanAPage: the server gives 100,000 at once.
func TestMoreRunsThanAPage(t *testing.T) {
	t.Parallel()
	const n = 100_050
	s, nc, _ := alone(t)
	ctx := within(t)
	for i := range n {
		if err := nc.Publish(s.Subject(fmt.Sprintf("run-%06d", i)), nil); err != nil {
			t.Fatal(err)
		}
	}
	require.NoError(t, s.Append(ctx, "zoo", 0, record("1")))
	next := 0
	for runID, err := range s.Runs(ctx) {
		if want := fmt.Sprintf("run-%06d", next); err != nil || next < n && runID != want {
			t.Fatalf("got run %q and error %v, want run %q", runID, err, want)
		}
		next++
	}
	require.Equal(t, n+1, next)
}

// TestForeignSubjects: what stands for no run is told, and the others follow.
func TestForeignSubjects(t *testing.T) {
	s, nc, _ := alone(t)
	ctx := within(t)
	for _, token := range []string{"%zz", "%6", "%61", "%", "%00", "é", "%C3%A9"} {
		_, err := nc.RequestWithContext(ctx, "agentgraph."+token, nil)
		require.NoError(t, err)
	}
	require.NoError(t, s.Append(ctx, "é", 0, record("1")))
	var good []string
	bad := 0
	for runID, err := range s.Runs(ctx) {
		if err != nil {
			require.ErrorIs(t, err, agentgraph.ErrBadRunID)
			require.Regexp(t, `^agentgraph: runs: bad run ID: subject "agentgraph\..*" stands for none$`, err.Error())
			bad++
			continue
		}
		good = append(good, runID)
	}
	require.Equal(t, []string{"é"}, good)
	require.Equal(t, 7, bad)
}
