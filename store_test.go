package agentgraph_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph"
)

// The contract of stores is tested in package storetest.

func TestRecordJSON(t *testing.T) {
	r := agentgraph.Record{Seq: 1, Time: time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC), Kind: "kind", Data: json.RawMessage(`{"a":1}`)}
	text, err := json.Marshal(r)
	require.NoError(t, err)
	require.Equal(t, `{"seq":1,"time":"2026-01-02T03:04:05.000000006Z","kind":"kind","data":{"a":1}}`, string(text))
}

func TestStored(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 6, time.FixedZone("east", 3600))
	in := agentgraph.Record{Seq: 9, Time: at, Kind: "kind", Data: json.RawMessage(` [ 1.0, "a b" ] `)}
	got, err := in.Stored(3)
	require.NoError(t, err)
	require.Equal(t, agentgraph.Record{Seq: 3, Time: at.UTC(), Kind: "kind", Data: json.RawMessage(`[1.0,"a b"]`)}, got)
	require.Equal(t, ` [ 1.0, "a b" ] `, string(in.Data))
}

func TestStoreErrors(t *testing.T) {
	ctx, s := context.Background(), agentgraph.NewMemStore()
	good := agentgraph.Record{Data: json.RawMessage("1")}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	for _, c := range []struct {
		want string
		err  error
	}{
		{`agentgraph: bad run ID: "" is empty`, s.Append(ctx, "", 0, good)},
		{`agentgraph: bad run ID: "a\x00" has a control character`, s.Delete(ctx, "a\x00")},
		{`agentgraph: bad run ID: "\xff" is not valid UTF-8`, agentgraph.CheckRunID("\xff")},
		{`agentgraph: bad run ID: "` + strings.Repeat("x", 512) + `" is longer than 512 bytes`, agentgraph.CheckRunID(strings.Repeat("x", 600))},
		{`agentgraph: bad record: data of kind "k": invalid JSON: unexpected end at byte 0`, s.Append(ctx, "run", 0, agentgraph.Record{Kind: "k"})},
		{`agentgraph: run "run": journal has another length: expected 3 records, has 0`, s.Append(ctx, "run", 3, good)},
		{`agentgraph: run "run": context canceled`, s.Append(cancelled, "run", 0, good)},
	} {
		require.EqualError(t, c.err, c.want)
	}
}

func BenchmarkMemStoreAppend(b *testing.B) {
	ctx, s := context.Background(), agentgraph.NewMemStore()
	r := agentgraph.Record{Kind: "step", Data: json.RawMessage(`{"path":["plan","draft"],"out":"` + strings.Repeat("x", 150) + `"}`)}
	after := uint64(0)
	for b.Loop() {
		if err := s.Append(ctx, "run", after, r); err != nil {
			b.Fatal(err)
		}
		after++
	}
}
