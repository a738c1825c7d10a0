package agentgraph

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func sequenceOf[B any](t testing.TB, log []Post[B]) string {
	return written(t, func(b *strings.Builder) error { return Sequence(b, log) })
}

func TestSequence(t *testing.T) {
	log := []Post[string]{
		{ID: PostID{"user", 0}, From: "user", To: []Channel{"in"}, Body: "write a haiku"},
		{ID: PostID{"team/w", 0}, From: "team/w", To: []Channel{"draft", "log"}, Thread: []PostID{{"user", 0}}, Body: "old pond; a frog leaps in — the sound of water"},
		{ID: PostID{"team/w", 1}, From: "team/w", To: []Channel{}, Thread: []PostID{{"lost", 4}, {"team/w", 0}, {"user", 0}}, Body: ""},
	}
	require.Equal(t, `sequenceDiagram
	participant p0 as user
	participant p1 as team/w
	participant p2 as lost
	Note over p0: user#35;0 to in#58; write a haiku
	p0->>p1: in
	Note over p1: team/w#35;0 to draft, log#58; old pond#59; a frog leaps in — the sound of…
	p2->>p1: lost#35;4
	p1->>p1: draft, log
	p0->>p1: in
	Note over p1: team/w#35;1#58; #34;#34;
`, sequenceOf(t, log))
}

func TestSequenceOfNothing(t *testing.T) {
	require.Equal(t, "sequenceDiagram\n", sequenceOf[int](t, nil))
}

func TestSequenceBodies(t *testing.T) {
	require.Equal(t, "{1 [a b]}", shortBody(struct {
		N int
		S []string
	}{1, []string{"a", "b"}}))
	require.Equal(t, `{"a":1}`, shortBody(json.RawMessage(`{"a":1}`)))
	require.Equal(t, `a\nb`, shortBody([]byte("a\nb")))
	require.Equal(t, "<nil>", shortBody(error(nil)))
	require.Equal(t, strings.Repeat("é", 40), shortBody(strings.Repeat("é", 40)))
	require.Equal(t, strings.Repeat("é", 40)+"…", shortBody(strings.Repeat("é", 41)))
}

var sequenceLine = regexp.MustCompile(`^(?:sequenceDiagram|\tparticipant p\d+ as ` + mermaidChars + `+|\tp\d+->>p\d+: ` + mermaidChars + `+|\tNote over p\d+: ` + mermaidChars + `+)$`)

func hostileLog(from, ch, body string) []Post[string] {
	first := PostID{from, 0}
	return []Post[string]{
		{ID: first, From: from, To: []Channel{ch}, Body: body},
		{ID: PostID{ch, 1}, From: ch, To: []Channel{from, ch}, Thread: []PostID{first, {body, 2}}, Body: from},
	}
}

func TestSequenceOfHostileNames(t *testing.T) {
	for i, from := range hostileNames {
		ch, body := hostileNames[(i*7+3)%len(hostileNames)], hostileNames[(i*5+1)%len(hostileNames)]
		requireLines(t, sequenceOf(t, hostileLog(from, ch, body)), sequenceLine)
	}
}

func FuzzSequence(f *testing.F) {
	seedNames(f)
	f.Fuzz(func(t *testing.T, from, ch, body string) {
		requireLines(t, sequenceOf(t, hostileLog(from, ch, body)), sequenceLine)
	})
}
