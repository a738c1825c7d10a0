package minutes_test

import (
	"bytes"
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/internal/journal"
	"github.com/seed-a2b66b4f/agentgraph/internal/minutes"
	"github.com/seed-a2b66b4f/agentgraph/internal/snapshot"
)

// FuzzRead: whatever a journal holds, minutes of it are taken or refused.
func FuzzRead(f *testing.F) {
	f.Add(tape(f))
	f.Fuzz(func(t *testing.T, text []byte) {
		h := journal.NewHistory(snapshot.NewKey())
		seq := uint64(0)
		for line := range bytes.Lines(text) {
			kind, data, _ := bytes.Cut(line, []byte(" "))
			seq++
			if h.Add(string(kind), seq, time.Unix(0, 0), bytes.TrimSpace(data)) != nil {
				break
			}
		}
		for n := range h.Attempts {
			for _, path := range minutes.Paths(h, n) {
				m, err := minutes.Read(h, n, path)
				if m == nil {
					require.Error(t, err)
					continue
				}
				total := 0
				for _, turn := range m.Turns {
					require.Equal(t, total, turn.First)
					total += turn.Posts
				}
				if err == nil {
					require.Len(t, m.Posts, total)
				}
			}
		}
	})
}

// tape is a journal of a meeting with a seat, in two attempts, as text.
func tape(f *testing.F) []byte {
	say := agentgraph.Atomic(agentgraph.Each(func(in post) []post { return []post{{Body: in.Body + "?"}} }))
	roster, err := agentgraph.ToRoster(agentgraph.Pipeline([]string{"ask", "human", "tell"}, "c"), agentgraph.Registry[string]{
		"ask": say, "human": agentgraph.External[string](), "tell": say,
	})
	require.NoError(f, err)
	store := agentgraph.NewMemStore()
	r := agentgraph.NewResumable("r", func(s *agentgraph.Step) error {
		_, err := agentgraph.RunMeeting(s, "meet", roster, []post{agentgraph.NewPost("u", []string{"*"}, "hi")})
		return err
	}, &agentgraph.ResumableOptions{Store: store})
	_, err = r.Run(context.Background(), "run", nil)
	require.ErrorIs(f, err, agentgraph.ErrWaiting)
	require.NoError(f, agentgraph.AnswerSeat(context.Background(), store, "run", "meet", "human", post{Body: "yes"}))
	_, err = r.Run(context.Background(), "run", nil)
	require.NoError(f, err)
	var text bytes.Buffer
	for record, err := range store.Read(context.Background(), "run", 0) {
		require.NoError(f, err)
		text.WriteString(record.Kind + " ")
		text.Write(record.Data)
		text.WriteByte('\n')
	}
	return text.Bytes()
}
