package natsstore_test

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/adapters/natsstore"
)

// script answers for JetStream, on a server that has none: for each subject a list
// of answers, the last of which stays. An empty one is silence.
type script struct {
	mu    sync.Mutex
	lines map[string][]string
	asked map[string]int
}

func act(t *testing.T, lines map[string][]string) (*nats.Conn, *script) {
	o := options(t)
	o.JetStream = false
	srv := start(t, o)
	sc := &script{lines: lines, asked: map[string]int{}}
	actor := connect(t, srv.ClientURL())
	for _, subjects := range []string{"$JS.API.>", "agentgraph.*"} {
		_, err := actor.Subscribe(subjects, sc.answer)
		require.NoError(t, err)
	}
	require.NoError(t, actor.Flush())
	return connect(t, srv.ClientURL()), sc
}

func (sc *script) answer(m *nats.Msg) {
	subject := strings.TrimPrefix(m.Subject, "$JS.API.")
	sc.mu.Lock()
	defer sc.mu.Unlock()
	lines := sc.lines[subject]
	if len(lines) == 0 {
		return
	}
	line := lines[min(sc.asked[subject], len(lines)-1)]
	sc.asked[subject]++
	if line != "" {
		m.Respond([]byte(line))
	}
}

func (sc *script) times(subject string) int {
	sc.mu.Lock()
	defer sc.mu.Unlock()
	return sc.asked[subject]
}

const (
	info   = "STREAM.INFO.agentgraph"
	create = "STREAM.CREATE.agentgraph"
	get    = "STREAM.MSG.GET.agentgraph"
	run    = "agentgraph.run"

	good = `{"config":{"name":"agentgraph","subjects":["agentgraph.*"],"retention":"limits","storage":"file","discard":"new",` +
		`"num_replicas":3,"max_msg_size":-1,"allow_direct":true,"allow_atomic":true}}`
	noStream   = `{"error":{"code":404,"err_code":10059,"description":"stream not found"}}`
	noLeader   = `{"error":{"code":503,"err_code":10008,"description":"JetStream system temporarily unavailable"}}`
	noPeers    = `{"error":{"code":400,"err_code":10005,"description":"no suitable peers for placement"}}`
	noMessage  = `{"error":{"code":404,"err_code":10037,"description":"no message found"}}`
	badRequest = `{"error":{"code":400,"err_code":10003,"description":"bad request"}}`
	busy       = `{"error":{"code":400,"err_code":10164,"description":"wrong last sequence"}}`
	late       = `{"error":{"code":400,"err_code":10071,"description":"wrong last sequence: 9"}}`
	stored     = `{"stream":"agentgraph","seq":9}`
)

// stands is the answer about an append of which a message is.
func stands(seq int, id, last string) string {
	h := nats.Header{"Agentgraph-Append": {id}, "Agentgraph-Last": {last}}
	text := "NATS/1.0\r\n"
	for _, key := range []string{"Agentgraph-Append", "Agentgraph-Last"} {
		text += key + ": " + h.Get(key) + "\r\n"
	}
	answer, err := json.Marshal(map[string]any{"message": map[string]any{"subject": run, "seq": seq, "hdrs": []byte(text + "\r\n")}})
	if err != nil {
		panic(err)
	}
	return string(answer)
}

// TestCreationFailsForAMoment: the stream is made as soon as the servers can.
func TestCreationFailsForAMoment(t *testing.T) {
	nc, sc := act(t, map[string][]string{
		info:   {noLeader, noStream, noStream, noStream, good},
		create: {noLeader, noPeers, `{"error":{"code":400,"err_code":10058,"description":"stream name already in use"}}`},
	})
	_, err := natsstore.Open(within(t), nc, nil)
	require.NoError(t, err)
	require.Equal(t, 5, sc.times(info))
	require.Equal(t, 3, sc.times(create))
}

// TestCreationFails: it is waited for until the context ends, and the error says for
// what.
func TestCreationFails(t *testing.T) {
	nc, _ := act(t, map[string][]string{info: {noStream}, create: {noPeers}})
	ctx, cancel := context.WithTimeout(within(t), 100*time.Millisecond)
	defer cancel()
	_, err := natsstore.Open(ctx, nc, nil)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.EqualError(t, err, `agentgraph: open stream "agentgraph": context deadline exceeded: nats: API error: code=400 err_code=10005 description=no suitable peers for placement`)
}

// TestSpuriousConflict: three replicas may tell a sole writer of a conflict while the
// subject ends where it should.
func TestSpuriousConflict(t *testing.T) {
	nc, sc := act(t, map[string][]string{
		info: {good},
		get:  {noMessage, noMessage, stands(9, "other", "1")},
		run:  {busy, busy, stored, busy, late, `{"stream":"agentgraph","seq":10}`},
	})
	s, ctx := open(t, nc, nil), within(t)
	require.NoError(t, s.Append(ctx, "run", 0, record("1")))
	require.Equal(t, 3, sc.times(run))
	require.NoError(t, s.Append(ctx, "run", 1, record("2")))
	require.Equal(t, 6, sc.times(run))
}

// TestBusyConflict: the code of three replicas, and the subject ends elsewhere.
func TestBusyConflict(t *testing.T) {
	for code, answer := range map[string]string{"one replica": late, "three replicas": busy} {
		t.Run(code, func(t *testing.T) {
			nc, sc := act(t, map[string][]string{info: {good}, get: {stands(9, "other", "4")}, run: {answer}})
			err := open(t, nc, nil).Append(within(t), "run", 0, record("1"))
			require.ErrorIs(t, err, agentgraph.ErrConflict)
			require.EqualError(t, err, `agentgraph: run "run": journal has another length: expected 0 records, has 4`)
			require.Equal(t, 1, sc.times(run))
		})
	}
}

// TestNoAnswer: a server that says nothing is asked again, and the error is that of
// the context.
func TestNoAnswer(t *testing.T) {
	nc, sc := act(t, map[string][]string{info: {good}, get: {"", noMessage}, run: {"", noLeader, stored, ""}})
	s, ctx := open(t, nc, nil), within(t)
	s.Hurry()
	require.NoError(t, s.Append(ctx, "run", 0))
	require.Equal(t, 2, sc.times(get))
	require.NoError(t, s.Append(ctx, "run", 0, record("1")))
	require.Equal(t, 3, sc.times(run))

	ctx, cancel := context.WithTimeout(ctx, 200*time.Millisecond)
	defer cancel()
	err := s.Append(ctx, "run", 1, record("2"))
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.Contains(t, err.Error(), `agentgraph: run "run": context deadline exceeded`)
}

// TestServersError: what will not pass is returned at once.
func TestServersError(t *testing.T) {
	nc, sc := act(t, map[string][]string{
		info: {good}, run: {`{"error":{"code":503,"err_code":10077,"description":"no space left on device"}}`},
	})
	err := open(t, nc, nil).Append(within(t), "run", 0, record("1"))
	require.EqualError(t, err, `agentgraph: run "run": nats: API error: code=503 err_code=10077 description=no space left on device`)
	require.Equal(t, 1, sc.times(run))
}

// TestOldServer: it makes the stream, and knows nothing of atomic batches.
func TestOldServer(t *testing.T) {
	old := strings.Replace(good, `"allow_atomic":true`, `"description":"Journals of agentgraph, one subject a run"`, 1)
	nc, _ := act(t, map[string][]string{info: {noStream}, create: {old}})
	_, err := natsstore.Open(within(t), nc, nil)
	require.ErrorIs(t, err, natsstore.ErrOldServer)
	require.ErrorContains(t, err, "agentgraph: open stream \"agentgraph\": server is too old: NATS ")
}

// TestOddAnswer is no JSON.
func TestOddAnswer(t *testing.T) {
	nc, _ := act(t, map[string][]string{info: {"good"}})
	_, err := natsstore.Open(within(t), nc, nil)
	require.ErrorContains(t, err, `agentgraph: open stream "agentgraph": answer to $JS.API.STREAM.INFO.agentgraph: `)
}

// pieceOf is a message as a read gets it; before is the one it follows in the page.
func pieceOf(stored, before, id, more string, text []byte) *nats.Msg {
	h := nats.Header{"Nats-Sequence": {stored}, "Nats-Last-Sequence": {before}, "Agentgraph-Append": {id}}
	if more != "" {
		h["Agentgraph-More"] = []string{more}
	}
	return &nats.Msg{Header: h, Data: text}
}

// status ends a page.
func status(code, last string) *nats.Msg {
	return &nats.Msg{Header: nats.Header{"Status": {code}, "Nats-Last-Sequence": {last}}}
}

// reads answers one request of a read after the other with a page, and tells which
// asked for no headers.
func reads(t *testing.T, nc *nats.Conn, pages ...[]*nats.Msg) (bare func() []bool) {
	var mu sync.Mutex
	var asked []bool
	_, err := nc.Subscribe("$JS.API.DIRECT.GET.agentgraph", func(m *nats.Msg) {
		mu.Lock()
		defer mu.Unlock()
		if len(pages) == 0 {
			return
		}
		asked = append(asked, strings.Contains(string(m.Data), `"no_hdr":true`))
		for _, answer := range pages[0] {
			m.RespondMsg(answer)
		}
		pages = pages[1:]
	})
	require.NoError(t, err)
	require.NoError(t, nc.Flush())
	return func() []bool {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(asked)
	}
}

// TestBarePage: a page without headers counts if it is certain that it is whole, and
// what is not is asked for again with headers.
func TestBarePage(t *testing.T) {
	var bare, full []*nats.Msg
	for i := range uint64(3) {
		text := natsstore.Text(t, i, record(strconv.FormatUint(i+1, 10)))
		bare = append(bare, &nats.Msg{Data: text})
		full = append(full, pieceOf(strconv.FormatUint(7+i, 10), strconv.FormatUint(6+i, 10), "id", "", text))
	}
	full[0].Header.Set("Nats-Last-Sequence", "0")
	rest := pieceOf("9", "0", "id", "", bare[2].Data)
	page := func(last string, messages ...*nats.Msg) []*nats.Msg {
		return append(slices.Clone(messages), status("204", last))
	}
	for name, c := range map[string]struct {
		last  string // the Seq that the leader finds where the first page ends
		pages [][]*nats.Msg
		bare  []bool
	}{
		"whole":           {"3", [][]*nats.Msg{page("9", bare...)}, []bool{true}},
		"headers anyway":  {"3", [][]*nats.Msg{page("9", full...)}, []bool{true}},
		"in two":          {"2", [][]*nats.Msg{page("8", bare[:2]...), page("9", bare[2])}, []bool{true, true}},
		"the first lost":  {"3", [][]*nats.Msg{page("9", bare[1:]...), page("9", full...)}, []bool{true, false}},
		"one lost":        {"3", [][]*nats.Msg{page("9", bare[0], bare[2]), page("9", full...)}, []bool{true, false}},
		"the last lost":   {"3", [][]*nats.Msg{page("9", bare[:2]...), page("9", full...)}, []bool{true, false}},
		"all lost":        {"3", [][]*nats.Msg{page("9"), page("9", full...)}, []bool{true, false}},
		"then one lost":   {"2", [][]*nats.Msg{page("8", bare[:2]...), page("9"), page("9", rest)}, []bool{true, true, false}},
		"twice":           {"3", [][]*nats.Msg{page("9", bare[0], bare[0], bare[1], bare[2]), page("9", full...)}, []bool{true, false}},
		"the end unsaid":  {"", [][]*nats.Msg{page("", bare...), page("9", full...)}, []bool{true, false}},
		"headers stay on": {"3", [][]*nats.Msg{page("9"), page("8", full[:2]...), page("9", rest)}, []bool{true, false, false}},
	} {
		t.Run(name, func(t *testing.T) {
			leader := map[string]string{"2": stands(8, "id", "2"), "3": stands(9, "id", "3"), "": badRequest}[c.last]
			nc, _ := act(t, map[string][]string{info: {good}, get: {stands(9, "id", "3"), leader}})
			s := open(t, nc, nil)
			asked := reads(t, nc, c.pages...)
			require.Equal(t, []string{"1", "2", "3"}, read(t, s, "run", 0))
			require.Equal(t, c.bare, asked())
		})
	}
}

// TestLaggingReplica: a server that keeps the stream does not have the end yet.
func TestLaggingReplica(t *testing.T) {
	nc, sc := act(t, map[string][]string{info: {good}, get: {stands(9, "id", "1")}})
	s := open(t, nc, nil)
	whole, none := pieceOf("9", "0", "id", "", natsstore.Text(t, 0, record("1"))), []*nats.Msg{status("404", "")}
	reads(t, nc, none, none, none, []*nats.Msg{whole, status("204", "9")})
	require.Equal(t, []string{"1"}, read(t, s, "run", 0))
	require.Equal(t, 3, sc.times(get))
}

// TestLostInPage: a message of a page with headers, or the last of it, did not
// arrive.
func TestLostInPage(t *testing.T) {
	nc, _ := act(t, map[string][]string{info: {good}, get: {stands(9, "id", "1")}})
	text := natsstore.Text(t, 0, record("1"))
	first, second := pieceOf("8", "0", "id", "1", text[:9]), pieceOf("9", "8", "id", "", text[9:])
	whole := []*nats.Msg{first, second, status("204", "9")}
	asked := reads(t, nc, whole, []*nats.Msg{second, status("204", "9")}, []*nats.Msg{first, status("204", "9")}, whole)
	require.Equal(t, []string{"1"}, read(t, open(t, nc, nil), "run", 0))
	require.Equal(t, []bool{true, false, false, false}, asked())
}

// TestDeletedBetweenPieces: the second half of an append is gone, and there is
// another one in its place.
func TestDeletedBetweenPieces(t *testing.T) {
	nc, _ := act(t, map[string][]string{info: {good}, get: {stands(9, "id", "1")}})
	text := natsstore.Text(t, 0, record("1"))
	first := []*nats.Msg{pieceOf("8", "0", "id", "1", text[:9]), status("204", "8")}
	reads(t, nc, first, first, []*nats.Msg{pieceOf("10", "0", "other", "", text), status("204", "10")})
	_, err := collect(within(t), open(t, nc, nil), "run", 0)
	require.EqualError(t, err, `agentgraph: run "run": journal was deleted while it was read`)
}

// TestReadRefused: the server says why.
func TestReadRefused(t *testing.T) {
	nc, _ := act(t, map[string][]string{info: {good}, get: {stands(9, "id", "1")}})
	reads(t, nc, []*nats.Msg{{Header: nats.Header{"Status": {"408"}, "Description": {"Bad Request"}}}})
	_, err := collect(within(t), open(t, nc, nil), "run", 0)
	require.EqualError(t, err, `agentgraph: run "run": the server refuses a read: 408 Bad Request`)
}

// TestLostBatch: a new leader knows nothing of the pieces that the former took.
func TestLostBatch(t *testing.T) {
	const lost = `{"error":{"code":400,"err_code":10176,"description":"atomic publish batch is incomplete"}}`
	nc, sc := act(t, map[string][]string{info: {good}, run: {"{}", lost, "{}", stored}})
	require.NoError(t, open(t, nc, nil).Append(within(t), "run", 0, record(large(3<<19))))
	require.Equal(t, 4, sc.times(run))
}
