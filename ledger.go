package agentgraph

import "math/bits"

// ledger is a log that grows without moving what is in it: each part is twice
// as long as the one before.
type ledger[B any] struct {
	parts [][]Post[B]
	n     int
}

const firstPart = 8 // posts in the first part, a power of two

func (l *ledger[B]) at(i int) *Post[B] {
	i += firstPart
	k := bits.Len(uint(i)) - bits.Len(uint(firstPart))
	return &l.parts[k][i-firstPart<<k]
}

// next makes room for one more post, which the caller writes.
func (l *ledger[B]) next() *Post[B] {
	i := l.n + firstPart
	k := bits.Len(uint(i)) - bits.Len(uint(firstPart))
	if k == len(l.parts) {
		l.parts = append(l.parts, make([]Post[B], firstPart<<k))
	}
	l.n++
	return &l.parts[k][i-firstPart<<k]
}

func (l *ledger[B]) all() []Post[B] {
	posts := make([]Post[B], 0, l.n)
	for _, part := range l.parts {
		posts = append(posts, part[:min(len(part), l.n-len(posts))]...)
	}
	return posts
}
