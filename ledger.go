package agentgraph

import "slices"

// ledger is a log in parts, so that it grows without moving what is in it. The
// first part is as small as it can be, for many meetings are short.
type ledger[B any] struct {
	parts [][]Post[B]
	n     int
}

const (
	partBits = 8
	partSize = 1 << partBits
)

// at returns a post, which is not to be written to.
func (l *ledger[B]) at(i int) *Post[B] { return &l.parts[i>>partBits][i%partSize] }

// next makes room for one more post, which the caller writes.
func (l *ledger[B]) next() *Post[B] {
	i := l.n
	l.n++
	switch {
	case i < partSize:
		if i == 0 {
			l.parts = [][]Post[B]{nil}
		}
		l.parts[0] = slices.Grow(l.parts[0], 1)[:i+1]
	case i%partSize == 0:
		l.parts = append(l.parts, make([]Post[B], partSize))
	}
	return l.at(i)
}

func (l *ledger[B]) all() []Post[B] {
	posts := make([]Post[B], 0, l.n)
	for _, part := range l.parts {
		posts = append(posts, part[:min(len(part), l.n-len(posts))]...)
	}
	return posts
}
