package expr

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// shownRunes is how much the text of a graph or a set of channels shows.
const shownRunes = 1000

// String returns the expression: quoted names, + for Overlay, and -["c"]-> for
// Connect, which binds tighter; both group to the left. It shows 1,000
// characters at most, and an ellipsis for the rest.
func (f Form) String() string {
	if len(f.Ops) == 0 {
		return "empty"
	}
	var t text
	todo := []piece{{at: int32(len(f.Ops) - 1)}}
	for len(todo) > 0 && !t.full() {
		p := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		switch o := f.Ops[p.at]; {
		case p.word != "":
			t.write(p.word)
		case o.IsLeaf():
			t.list(f.Leaf(o), " + ")
		case p.operator:
			t.operator(f.Label(o))
		default:
			todo = f.appendPieces(todo, p.at)
		}
	}
	return t.String()
}

// String returns the items, sorted and quoted: ["a" "b"]. It shows 1,000
// characters at most, and an ellipsis for the rest.
func (s Set) String() string {
	var t text
	t.label(s)
	return t.String()
}

// piece is a word, an expression or its operator.
type piece struct {
	word     string
	at       int32
	operator bool
}

// appendPieces puts the pieces of two sides on a stack, the first on top.
func (f Form) appendPieces(todo []piece, at int32) []piece {
	o := f.Ops[at]
	left, own, right := f.Ops[o.Left].binding(), o.binding(), f.Ops[o.Right].binding()
	todo = appendSide(todo, o.Right, right <= own)
	todo = append(todo, piece{at: at, operator: true})
	return appendSide(todo, o.Left, left < own)
}

func appendSide(todo []piece, at int32, parens bool) []piece {
	if !parens {
		return append(todo, piece{at: at})
	}
	return append(todo, piece{word: ")"}, piece{at: at}, piece{word: "("})
}

// binding says how tightly the text of an expression holds together.
func (o Op) binding() int {
	switch {
	case o.IsLeaf() && o.to == o.from+1:
		return 2
	case !o.IsLeaf() && !o.isEmpty():
		return 1
	}
	return 0
}

// text is a string that stops growing after shownRunes.
type text struct {
	strings.Builder
	runes int
}

func (t *text) full() bool { return t.runes > shownRunes }

func (t *text) write(s string) {
	t.WriteString(s)
	t.runes += utf8.RuneCountInString(s)
}

func (t *text) operator(label Set) {
	if len(label) == 0 {
		t.write(" + ")
		return
	}
	t.write(" -")
	t.label(label)
	t.write("-> ")
}

func (t *text) label(s Set) {
	t.write("[")
	t.list(s, " ")
	t.write("]")
}

// list writes quoted names until it is full.
func (t *text) list(names []string, between string) {
	for i, name := range names {
		if t.full() {
			return
		}
		if i > 0 {
			t.write(between)
		}
		if most := shownRunes * utf8.UTFMax; len(name) > most {
			name = name[:most] // what is beyond cannot show
		}
		t.write(strconv.Quote(name))
	}
}

// String returns what shows.
func (t *text) String() string {
	s, n := t.Builder.String(), 0
	for i := range s {
		if n == shownRunes {
			return s[:i] + "…"
		}
		n++
	}
	return s
}
