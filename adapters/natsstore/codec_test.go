package natsstore_test

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/adapters/natsstore"
	"github.com/seed-a2b66b4f/agentgraph/internal/frame"
)

func TestEscaped(t *testing.T) {
	for runID, want := range map[string]string{
		"order/17:a_b-c": "order/17:a_b-c", "a.b": "a%2eb", "a b": "a%20b", "*": "%2a", ">": "%3e", "50%": "50%25",
		"é": "%c3%a9", "$JS": "$JS", "..": "%2e%2e",
	} {
		require.Equal(t, want, natsstore.Escaped(runID))
		back, ok := natsstore.Unescaped(want)
		require.True(t, ok)
		require.Equal(t, runID, back)
	}
	require.Len(t, natsstore.Escaped(strings.Repeat("é", 256)), 1536)
}

// FuzzEscaped: an ID is one token of a subject, and comes back; a token comes from
// one ID alone.
func FuzzEscaped(f *testing.F) {
	for _, runID := range []string{"a", "a.b", "%2e", "é", "\xff", "> *"} {
		f.Add(runID)
	}
	f.Fuzz(func(t *testing.T, text string) {
		token := natsstore.Escaped(text)
		require.False(t, strings.ContainsAny(token, ".*> \t\r\n\x00"))
		require.True(t, utf8.ValidString(token))
		back, ok := natsstore.Unescaped(token)
		require.True(t, ok)
		require.Equal(t, text, back)
		if runID, ok := natsstore.Unescaped(text); ok {
			require.Equal(t, text, natsstore.Escaped(runID))
		}
	})
}

// TestRecordsOf: a text is a whole append, in order, or an error.
func TestRecordsOf(t *testing.T) {
	text := func(seqs ...uint64) []byte {
		var all []byte
		var sum frame.Sum
		for i, seq := range seqs {
			all, sum = frame.Append(all, frame.Line{Seq: seq, Data: []byte("1"), More: i+1 < len(seqs)}, sum)
		}
		return all
	}
	records, err := natsstore.RecordsOf(text(7, 8, 9))
	require.NoError(t, err)
	require.Len(t, records, 3)

	begun, _, _ := bytes.Cut(text(7, 8), []byte("\n"))
	changed := text(1)
	changed[len(changed)/2]++
	for fault, bad := range map[string][]byte{
		"it is not whole": append(begun, '\n'), "record 9 comes after 7": text(7, 9), "not a line of this journal": changed,
	} {
		_, err := natsstore.RecordsOf(bad)
		require.EqualError(t, err, fault)
	}
	_, err = natsstore.RecordsOf(nil)
	require.EqualError(t, err, "it is not whole")
}

// FuzzRecordsOf: what is no whole append is an error, and what is one has its records
// in order, each with its data to itself.
func FuzzRecordsOf(f *testing.F) {
	one := natsstore.Text(f, 0, record(`{"a":1}`))
	two := natsstore.Text(f, 0, record("1"), agentgraph.Record{Kind: "\u2028<", Data: []byte(`"x"`)})
	for _, text := range [][]byte{nil, one, two, two[:len(one)], append(one[:len(one):len(one)], one...), []byte("\n"), []byte("{}\n")} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		records, err := natsstore.RecordsOf(text)
		if err != nil {
			require.Empty(t, records)
			return
		}
		require.NotEmpty(t, records)
		for i, r := range records {
			require.Equal(t, records[0].Seq+uint64(i), r.Seq)
			require.Equal(t, len(r.Data), cap(r.Data))
		}
	})
}
