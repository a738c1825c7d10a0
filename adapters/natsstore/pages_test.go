package natsstore_test

import (
	"strconv"
	"sync"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph"
)

const direct = "DIRECT.GET.agentgraph"

// requests counts those to JetStream from now on, by the subject, until it is asked
// once.
func requests(t *testing.T, nc *nats.Conn) func() map[string]int {
	var mu sync.Mutex
	seen := map[string]int{}
	sub, err := nc.Subscribe("$JS.API.>", func(m *nats.Msg) {
		mu.Lock()
		defer mu.Unlock()
		seen[m.Subject[len("$JS.API."):]]++
	})
	require.NoError(t, err)
	require.NoError(t, nc.Flush())
	return func() map[string]int {
		require.NoError(t, nc.Flush())
		require.NoError(t, sub.Drain())
		for sub.IsValid() {
			pause()
		}
		mu.Lock()
		defer mu.Unlock()
		return seen
	}
}

// TestReadCosts is what a journal costs that is longer than one request brings.
func TestReadCosts(t *testing.T) {
	for name, c := range map[string]struct {
		records, size int
		want          map[string]int
	}{
		"a few":            {3, 1, map[string]int{get: 1, direct: 1}},
		"two full pages":   {1024, 1, map[string]int{get: 1, direct: 2}},
		"more than two":    {1100, 1, map[string]int{get: 1, direct: 3}},
		"two of one MiB":   {600, 3 << 10, map[string]int{get: 2, direct: 2}},
		"each in two":      {2, 3 << 19, map[string]int{get: 1, direct: 3}},
		"just one message": {1, 900 << 10, map[string]int{get: 1, direct: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, nc, _ := alone(t)
			ctx := within(t)
			for i := range uint64(c.records) {
				require.NoError(t, s.Append(ctx, "run", i, record(large(c.size))))
			}
			asked := requests(t, nc)
			require.Len(t, read(t, s, "run", 0), c.records)
			require.Equal(t, c.want, asked())
		})
	}
}

// TestReadMixed is appends of one record and of many, small and large, in pages with
// headers and without.
func TestReadMixed(t *testing.T) {
	t.Parallel()
	s, nc, _ := alone(t)
	ctx := within(t)
	var want []string
	put := func(size int, n int) {
		t.Helper()
		after := uint64(len(want))
		var records []agentgraph.Record
		for range n {
			text := `"` + strconv.Itoa(len(want)) + large(size)[1:]
			want, records = append(want, text), append(records, record(text))
		}
		require.NoError(t, s.Append(ctx, "run", after, records...))
		require.NoError(t, s.Append(ctx, "other", after, records...))
	}
	for range 700 {
		put(10, 1)
	}
	for range 150 {
		put(10<<10, 1)
		put(1, 7)
	}
	put(1<<20, 3)
	put(1, 600)
	for range 600 {
		put(1, 2)
	}
	other := open(t, nc, nil)
	for _, after := range []int{0, 1, 511, 512, 513, 700, 1000, len(want) - 1, len(want)} {
		got := read(t, other, "run", uint64(after))
		require.Len(t, got, len(want)-after)
		for i, text := range got {
			if text != want[after+i] {
				t.Fatalf("record %d is another", after+i+1)
			}
		}
	}
}

// TestBegunAnewBetweenPages: the journal has a full page more, but of another life.
func TestBegunAnewBetweenPages(t *testing.T) {
	t.Parallel()
	s, nc, _ := alone(t)
	other, ctx := open(t, nc, nil), within(t)
	write := func() {
		for i := range uint64(1100) {
			require.NoError(t, other.Append(ctx, "run", i, record("1")))
		}
	}
	write()
	seen := 0
	var failed error
	for _, failed = range s.Read(ctx, "run", 0) {
		if failed != nil {
			break
		}
		if seen++; seen == 512 {
			require.NoError(t, other.Delete(ctx, "run"))
			write()
		}
	}
	require.EqualError(t, failed, `agentgraph: run "run": journal was deleted while it was read`)
	require.Equal(t, 512, seen)
}

// TestDamageInPage: what comes before it is given, and the error says where it is.
func TestDamageInPage(t *testing.T) {
	t.Parallel()
	s, nc, _ := alone(t)
	ctx := within(t)
	write := func(from, to uint64) {
		for i := from; i < to; i++ {
			require.NoError(t, s.Append(ctx, "run", i, record(strconv.FormatUint(i+1, 10))))
		}
	}
	write(0, 299)
	h := nats.Header{"Agentgraph-Append": {"id"}, "Agentgraph-Last": {"300"}}
	_, err := nc.RequestMsgWithContext(ctx, &nats.Msg{Subject: s.Subject("run"), Header: h, Data: []byte("x")})
	require.NoError(t, err)
	s.Forget()
	write(300, 600)
	s.Forget()
	list, err := collect(ctx, s, "run", 0)
	require.ErrorIs(t, err, agentgraph.ErrCorrupt)
	require.ErrorContains(t, err, "message 300: ")
	require.Len(t, list, 299)
}
