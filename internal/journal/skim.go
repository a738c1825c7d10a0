package journal

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/seed-a2b66b4f/agentgraph/internal/canon"
)

// Skim follows a log at a fraction of what a [History] costs, and tells whether one
// would take it in. It is sure of whatever is written here, and never of what a
// History refuses; of the rest only a History can tell. It keeps a byte for each
// number, and where long values stand.
type Skim struct {
	by    []byte // the attempt that goes on
	begun bool
	known []trace      // by number
	long  map[Ref]bool // values that are long enough to be referred to
	taken int          // entries

	now  glance
	take func(key, value []byte) error // of now
}

// trace is what there is under a number.
type trace byte

const (
	aStep trace = 1 << iota
	over        // a step, or a turn, that has ended well
	byID        // an ask, a meeting or a turn
)

// Gist is what an entry says about its run.
type Gist struct {
	Own                 bool   // it is of the attempt that goes on; an answer is of none
	Status, Name, Error string // of an attempt, its end, or a turn
}

// NewSkim returns what is known of an empty log.
func NewSkim() *Skim {
	s := &Skim{long: map[Ref]bool{}}
	s.take = s.now.take
	return s
}

// Add takes in the next entry. When it is not sure, the skim is of no more use.
func (s *Skim) Add(kind string, data json.RawMessage) (g Gist, sure bool) {
	s.taken++
	s.now = glance{}
	if canon.Members(data, s.take) != nil {
		return Gist{}, false
	}
	e := &s.now
	switch {
	case kind == KindAttempt:
		return Gist{Own: true, Name: e.unquoted(e.name)}, s.begin(e)
	case kind == KindAnswer:
		return Gist{}, e.readable()
	case !s.begun:
		return Gist{}, false
	case !bytes.Equal(e.by, s.by):
		return Gist{}, e.readable() // a History passes it over
	}
	g.Own = true
	if kind == KindTurn || kind == KindEnd {
		g.Status, g.Error = e.unquoted(e.status), e.unquoted(e.failure)
	}
	return g, s.goOn(kind, e)
}

func (s *Skim) begin(e *glance) bool {
	if e.format != Format || s.has(e.id, aStep) || e.set != nil || e.states != nil {
		return false
	}
	s.by, s.begun = bytes.Clone(e.by), true
	return s.delta(e.given, e.id, Given) && s.mark(e.id, aStep)
}

// goOn takes in an entry of the attempt that goes on.
func (s *Skim) goOn(kind string, e *glance) bool {
	switch {
	case kind == KindBegin, kind == KindStep, kind == KindFail, kind == KindEnd:
		return s.step(kind, e)
	case !e.readable():
		return false
	}
	switch kind {
	case KindMeeting:
		return (!e.refers || s.has(e.of, byID)) && s.mark(e.id, byID)
	case KindAsk:
		return s.mark(e.id, byID)
	case KindTurn:
		return s.turn(e)
	}
	return true
}

func (s *Skim) turn(e *glance) bool {
	if len(e.status) > len(`""`) { // it has only begun, or failed
		return s.mark(e.id, byID)
	}
	return s.has(e.to, aStep) && !s.has(e.id, over) && s.mark(e.id, byID|over)
}

func (s *Skim) step(kind string, e *glance) bool {
	switch {
	case !s.has(e.id, aStep):
		if !s.has(e.on, aStep) || !s.delta(e.given, e.id, Given) || !s.mark(e.id, aStep) {
			return false
		}
	case e.given != nil:
		return false
	}
	if kind != KindStep {
		return e.set == nil && e.states == nil
	}
	return !s.has(e.id, over) && s.delta(e.set, e.id, Set) && s.delta(e.states, e.id, States) && s.mark(e.id, over)
}

func (s *Skim) has(id int, t trace) bool { return id >= 0 && id < len(s.known) && s.known[id]&t != 0 }

// mark notes what a number is for, if it is one that as many entries may come to.
func (s *Skim) mark(id int, t trace) bool {
	const sparse = 16
	if id < 0 || id > sparse*(s.taken+64) {
		return false
	}
	if id >= len(s.known) {
		s.known = append(s.known, make([]trace, id+1-len(s.known))...)
	}
	s.known[id] |= t
	return true
}

// delta is sure of values that can be read, and of references to long ones that are
// known to stand there.
func (s *Skim) delta(text []byte, id int, part Part) bool {
	if text == nil {
		return true
	}
	rank := 0
	return nil == canon.Inner(text, func(key, value []byte) error {
		was := rank
		switch string(key) {
		case "put":
			if rank = 1; was < rank {
				return canon.Inner(value, func(name, value []byte) error { return s.put(Ref{ID: id, Part: part}, name, value) })
			}
		case "ref":
			if rank = 2; was < rank {
				return canon.Inner(value, func(_, value []byte) error { return s.ref(value) })
			}
		case "del":
			if rank = 3; was < rank {
				return s.del(Ref{ID: id, Part: part}, value)
			}
		}
		return errUnusual
	})
}

func (s *Skim) put(at Ref, name, value []byte) (err error) {
	if mayBeDeep(value) {
		if _, err := canon.Sum(value); err != nil {
			return err
		}
	}
	if len(value) < worthRef {
		return nil
	}
	at.Name = string(name)
	if bytes.IndexByte(name, '\\') >= 0 {
		err = json.Unmarshal(slices.Concat([]byte(`"`), name, []byte(`"`)), &at.Name)
	}
	s.long[at] = true
	return err
}

// ref looks for what a reference means.
func (s *Skim) ref(text []byte) error {
	var r Ref
	if text[0] != '[' || r.UnmarshalJSON(text) != nil || !s.long[r] {
		return errUnusual
	}
	return nil
}

func (s *Skim) del(at Ref, text []byte) error {
	var names []string
	err := json.Unmarshal(text, &names)
	for _, name := range names {
		at.Name = name
		delete(s.long, at)
	}
	return err
}

// mayBeDeep says whether a value may be nested deeper than one can be.
func mayBeDeep(value []byte) bool {
	const most = 9_000
	return len(value) > most && bytes.Count(value, []byte("["))+bytes.Count(value, []byte("{")) > most
}

// glance is what a [Skim] looks at in an entry.
type glance struct {
	rank                  int    // of the field before
	by                    []byte // between its quotes
	status, name, failure []byte // with their quotes
	given, set, states    []byte
	id, on, to, format    int
	of                    int // the first one
	refers                bool
}

// take reads one field. They have an order, so that none comes twice.
func (e *glance) take(key, value []byte) (err error) {
	rank := 0
	switch string(key) {
	case "by":
		rank = 1
		e.by, err = word(value)
	case "id":
		rank = 2
		e.id, err = number(value)
	case "at":
		rank = 3
		_, err = strconv.ParseInt(string(value), 10, 64)
	case "step":
		rank, err = 4, quoted(value)
	case "index":
		rank = 5
		_, err = firstOf(value)
	case "agent":
		rank, err = 6, quoted(value)
	case "on":
		rank = 7
		e.on, err = number(value)
	case "given":
		rank, e.given = 8, value
	case "extra":
		rank, err = 9, json.Unmarshal(value, &[]string{})
	case "also":
		rank, err = 10, canon.Inner(value, func(_, value []byte) error { return quoted(value) })
	case "set":
		rank, e.set = 11, value
	case "states":
		rank, e.states = 12, value
	case "status":
		rank, e.status, err = 13, value, quoted(value)
	case "error":
		rank, e.failure, err = 14, value, quoted(value)
	case "name":
		rank, e.name, err = 15, value, quoted(value)
	case "format":
		rank = 16
		e.format, err = number(value)
	default:
		rank, err = e.takeRest(key, value)
	}
	if rank <= e.rank {
		return errUnusual
	}
	e.rank = rank
	return err
}

func (e *glance) takeRest(key, value []byte) (rank int, err error) {
	switch string(key) {
	case "of":
		e.refers = true
		e.of, err = firstOf(value)
		return 17, err
	case "ats":
		return 18, json.Unmarshal(value, &[]int64{})
	case "to":
		e.to, err = number(value)
		return 19, err
	case "n":
		_, err = number(value)
		return 20, err
	case "post":
		return 21, quoted(value)
	case "seat":
		return 22, quoted(value)
	case "wants":
		return 23, quoted(value)
	case "value":
		return 24, nil
	case "state":
		return 25, nil
	case "heard":
		return 26, nil
	case "inputs":
		return 27, nil
	case "rooms":
		return 28, json.Unmarshal(value, &[]string{})
	case "answers":
		return 29, json.Unmarshal(value, &[]uint64{})
	case "nodes":
		return 30, json.Unmarshal(value, &[][]int{})
	}
	return 0, errUnusual
}

// readable says whether the deltas can be read, of an entry where they mean nothing.
func (e *glance) readable() bool {
	for _, text := range [][]byte{e.given, e.set, e.states} {
		if text != nil && json.Unmarshal(text, &Delta{}) != nil {
			return false
		}
	}
	return true
}

func (e *glance) unquoted(text []byte) string {
	var s string
	if len(text) > 0 {
		_ = json.Unmarshal(text, &s) // it is a string
	}
	return s
}

func quoted(value []byte) error {
	if value[0] != '"' {
		return errUnusual
	}
	return nil
}

// word is what stands between the quotes of a string in which nothing is escaped.
func word(value []byte) ([]byte, error) {
	if len(value) < 2 || value[0] != '"' || bytes.IndexByte(value, '\\') >= 0 {
		return nil, errUnusual
	}
	return value[1 : len(value)-1], nil
}

// firstOf is the first of a list of numbers, of which each is short enough to be one.
func firstOf(list []byte) (int, error) {
	const longest = 9
	if list[0] != '[' {
		return 0, errUnusual
	}
	first, digits := len(list), 0
	for i, c := range list {
		switch {
		case c == ',' || c == ']' && i == len(list)-1:
			first, digits = min(first, i), 0
		case c >= '0' && c <= '9' && digits < longest:
			digits++
		case c != '[' || i > 0:
			return 0, errUnusual
		}
	}
	return number(list[1:first])
}
