package agentgraph

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
func (g Graph) String() string {
	if g.root == nil {
		return "empty"
	}
	var t text
	todo := []piece{{expr: g.root}}
	for len(todo) > 0 && !t.full() {
		p := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		switch {
		case p.expr == nil:
			t.write(p.word)
		case p.expr.isLeaf():
			t.list(p.expr.names, " + ")
		case p.operator:
			t.operator(p.expr.label)
		default:
			todo = p.expr.appendPieces(todo)
		}
	}
	return t.String()
}

// piece is a word, an expression or its operator.
type piece struct {
	word     string
	expr     *expr
	operator bool
}

// appendPieces puts the pieces of two sides on a stack.
func (e *expr) appendPieces(todo []piece) []piece {
	todo = appendSide(todo, e.right, e.right.binding() <= e.binding())
	todo = append(todo, piece{expr: e, operator: true})
	return appendSide(todo, e.left, e.left.binding() < e.binding())
}

func appendSide(todo []piece, side *expr, parens bool) []piece {
	if !parens {
		return append(todo, piece{expr: side})
	}
	return append(todo, piece{word: ")"}, piece{expr: side}, piece{word: "("})
}

// binding says how tightly the text of an expression holds together.
func (e *expr) binding() int {
	switch {
	case len(e.names) == 1:
		return 2
	case e.label.Len() > 0:
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

func (t *text) operator(label ChannelSet) {
	if label.Len() == 0 {
		t.write(" + ")
		return
	}
	t.write(" -")
	t.label(label)
	t.write("-> ")
}

func (t *text) label(s ChannelSet) {
	t.write("[")
	t.list(s.names, " ")
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
