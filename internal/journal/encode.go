package journal

import (
	"bytes"
	"encoding/json"
	"strconv"

	"github.com/seed-a2b66b4f/agentgraph/internal/snapshot"
)

// Draft is an entry to be written. What it changes is given as changes, which the
// writer turns into deltas: it knows which values stand in the log.
type Draft struct {
	Entry
	Given, Set, States []snapshot.Change
	Also               []Digest
}

// Digest is something that counts as input beside the artifacts.
type Digest struct{ Name, Text string }

// encode gives the text of a draft and remembers the values in it.
func (h *History) encode(d *Draft) json.RawMessage {
	e := encoder{history: h, id: d.ID, buf: h.room[:0]}
	e.buf = append(e.buf, '{')
	e.text("by", d.By)
	e.number("id", int64(d.ID))
	e.number("at", d.At)
	e.text("step", d.Step)
	e.numbers("index", d.Index)
	e.text("agent", d.Agent)
	e.number("on", int64(d.On))
	e.delta("given", Given, d.Given)
	e.texts("extra", d.Extra)
	e.also(d.Also)
	e.delta("set", Set, d.Set)
	e.delta("states", States, d.States)
	e.text("status", d.Status)
	e.text("error", d.Error)
	e.text("name", d.Name)
	e.number("format", int64(d.Format))
	e.numbers("of", d.Of)
	e.ats(d.Ats)
	e.number("to", int64(d.To))
	e.number("n", int64(d.N))
	e.text("post", d.Post)
	e.text("seat", d.Seat)
	e.text("wants", d.Wants)
	e.raw("value", d.Value)
	e.raw("state", d.State)
	e.raw("heard", d.Heard)
	e.raw("inputs", d.Inputs)
	e.texts("rooms", d.Rooms)
	e.seqs("answers", d.Answers)
	e.nodes(d.Nodes)
	e.buf = append(e.buf, '}')
	if cap(e.buf) <= keptRoom {
		h.room = e.buf
	}
	return bytes.Clone(e.buf)
}

// keptRoom is how much room for the text of an entry is kept for the next.
const keptRoom = 1 << 16

// encoder writes what is not empty.
type encoder struct {
	history *History
	id      int
	buf     []byte
}

func (e *encoder) key(name string) {
	if last := e.buf[len(e.buf)-1]; last != '{' && last != '[' {
		e.buf = append(e.buf, ',')
	}
	e.buf = appendText(e.buf, name)
	e.buf = append(e.buf, ':')
}

func (e *encoder) text(key, value string) {
	if value != "" {
		e.key(key)
		e.buf = appendText(e.buf, value)
	}
}

func (e *encoder) number(key string, value int64) {
	if value != 0 {
		e.key(key)
		e.buf = strconv.AppendInt(e.buf, value, 10)
	}
}

func (e *encoder) raw(key string, value json.RawMessage) {
	if len(value) > 0 {
		e.key(key)
		e.buf = append(e.buf, value...)
	}
}

func (e *encoder) list(key string, n int, item func(i int)) {
	if n == 0 {
		return
	}
	e.key(key)
	e.buf = append(e.buf, '[')
	for i := range n {
		if i > 0 {
			e.buf = append(e.buf, ',')
		}
		item(i)
	}
	e.buf = append(e.buf, ']')
}

func (e *encoder) numbers(key string, values []int) {
	e.list(key, len(values), func(i int) { e.buf = strconv.AppendInt(e.buf, int64(values[i]), 10) })
}

func (e *encoder) ats(values []int64) {
	e.list("ats", len(values), func(i int) { e.buf = strconv.AppendInt(e.buf, values[i], 10) })
}

func (e *encoder) seqs(key string, values []uint64) {
	e.list(key, len(values), func(i int) { e.buf = strconv.AppendUint(e.buf, values[i], 10) })
}

func (e *encoder) texts(key string, values []string) {
	e.list(key, len(values), func(i int) { e.buf = appendText(e.buf, values[i]) })
}

func (e *encoder) nodes(values [][]int) {
	e.list("nodes", len(values), func(i int) {
		e.buf = append(e.buf, '[')
		for j, n := range values[i] {
			if j > 0 {
				e.buf = append(e.buf, ',')
			}
			e.buf = strconv.AppendInt(e.buf, int64(n), 10)
		}
		e.buf = append(e.buf, ']')
	})
}

func (e *encoder) also(parts []Digest) {
	if len(parts) == 0 {
		return
	}
	e.key("also")
	e.buf = append(e.buf, '{')
	for _, p := range parts {
		e.text(p.Name, p.Text)
	}
	e.buf = append(e.buf, '}')
}

// delta writes changes: values that are new to the log as they are, others as
// references, and then the names that have none any more.
func (e *encoder) delta(key string, part Part, changes []snapshot.Change) {
	if len(changes) == 0 {
		return
	}
	e.key(key)
	e.buf = append(e.buf, '{')
	var refs []namedRef
	var gone []string
	opened := false
	for _, c := range changes {
		if c.After == nil {
			gone = append(gone, c.Name)
			continue
		}
		if ref, ok := e.history.stands(c.After); ok {
			refs = append(refs, namedRef{c.Name, ref})
			continue
		}
		if !opened {
			e.key("put")
			e.buf = append(e.buf, '{')
			opened = true
		}
		e.key(c.Name)
		e.buf = append(e.buf, c.After.Raw...)
		e.history.remember(c.After, Ref{e.id, part, c.Name})
	}
	if opened {
		e.buf = append(e.buf, '}')
	}
	e.refs(refs)
	e.texts("del", gone)
	e.buf = append(e.buf, '}')
}

type namedRef struct {
	name string
	ref  Ref
}

func (e *encoder) refs(refs []namedRef) {
	if len(refs) == 0 {
		return
	}
	e.key("ref")
	e.buf = append(e.buf, '{')
	for _, r := range refs {
		e.key(r.name)
		e.buf = append(e.buf, '[')
		e.buf = strconv.AppendInt(e.buf, int64(r.ref.ID), 10)
		e.buf = append(e.buf, ',', '0'+byte(r.ref.Part), ',')
		e.buf = appendText(e.buf, r.ref.Name)
		e.buf = append(e.buf, ']')
	}
	e.buf = append(e.buf, '}')
}

// appendText writes a JSON string. Most have nothing to escape.
func appendText(buf []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' || c >= 0x7f {
			quoted, _ := json.Marshal(s) // a string has no error
			return append(buf, quoted...)
		}
	}
	buf = append(buf, '"')
	buf = append(buf, s...)
	return append(buf, '"')
}
