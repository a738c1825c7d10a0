// Package snapshot holds sets of named JSON values that are values themselves: a
// Map never changes, assigning one is taking a snapshot, and two of them are
// compared, and told apart, without going through what they share.
//
// A Map is a treap: a search tree by name that is a heap by a hash of the name, so
// that its shape depends on its names alone. Each node has the sum of the digests
// below it, a keyed multiset hash (MSet-Add-Hash of Clarke and others, 2003) that
// an update changes by one term.
package snapshot

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"hash/maphash"
	"iter"
	"math/bits"

	"github.com/seed-a2b66b4f/agentgraph/internal/canon"
)

// Value is a JSON value: its text, and the digest that equal values share. It is
// not to be changed.
type Value struct {
	Raw json.RawMessage
	Sum canon.Digest

	Owner any // in whose hands it is, which makes no difference; nil if nobody knows
}

// NewValue makes a value of a JSON text, which it keeps.
func NewValue(raw json.RawMessage) (*Value, error) {
	sum, err := canon.Sum(raw)
	if err != nil {
		return nil, err
	}
	return &Value{Raw: raw, Sum: sum}, nil
}

// Same says whether two values have the same text. Values can be equal without.
func (v *Value) Same(w *Value) bool {
	if v == nil || w == nil || v == w {
		return v == w
	}
	return v.Sum == w.Sum && string(v.Raw) == string(w.Raw)
}

// Equal says whether two values are equal as JSON; nil, which is none, equals nil.
func (v *Value) Equal(w *Value) bool {
	if v == nil || w == nil {
		return v == w
	}
	return v.Sum == w.Sum
}

// minus undoes Plus.
func (s Sum) minus(t Sum) Sum {
	var borrow uint64
	for i := range s {
		s[i], borrow = bits.Sub64(s[i], t[i], borrow)
	}
	return s
}

// Key is what sums are made with. Only those of one key can be compared. It is
// random, so that nobody can make two sets whose sums are the same.
type Key struct {
	secret [32]byte
	seed   maphash.Seed
}

// NewKey returns a new key.
func NewKey() *Key {
	k := &Key{seed: maphash.MakeSeed()}
	_, _ = rand.Read(k.secret[:]) // it does not fail
	return k
}

// Sum stands for a set of named values: equal sets have equal sums, and, but with
// a probability that can be neglected, no others.
type Sum [4]uint64

// Plus is the sum of two disjoint sets.
func (s Sum) Plus(t Sum) Sum {
	var carry uint64
	for i := range s {
		s[i], carry = bits.Add64(s[i], t[i], carry)
	}
	return s
}

// Term is the sum of one value that has a name.
func (k *Key) Term(name string, digest canon.Digest) Sum {
	buf := make([]byte, 0, 160)
	buf = append(buf, k.secret[:]...)
	buf = append(buf, digest[:]...)
	buf = append(buf, name...)
	hash := sha256.Sum256(buf)
	var s Sum
	for i := range s {
		s[i] = binary.LittleEndian.Uint64(hash[8*i:])
	}
	return s
}

// Map is a set of named values. The zero Map is no use: see [Key.Empty].
type Map struct {
	key  *Key
	root *node
}

type node struct {
	name        string
	value       *Value
	rank        uint64
	sum         Sum // of this one and all below
	left, right *node
}

// Empty returns the set of nothing.
func (k *Key) Empty() Map { return Map{key: k} }

// Sum returns what stands for the set, at once.
func (m Map) Sum() Sum { return m.root.total() }

// Get returns the value of a name, or nil.
func (m Map) Get(name string) *Value {
	for n := m.root; n != nil; {
		switch {
		case name < n.name:
			n = n.left
		case name > n.name:
			n = n.right
		default:
			return n.value
		}
	}
	return nil
}

// With returns the set in which a name has a value. It costs O(log n).
func (m Map) With(name string, v *Value) Map {
	fresh := node{name: name, value: v, rank: maphash.String(m.key.seed, name), sum: m.key.Term(name, v.Sum)}
	return Map{m.key, m.root.with(&fresh)}
}

// Without returns the set that lacks a name. It costs O(log n).
func (m Map) Without(name string) Map {
	if m.Get(name) == nil {
		return m
	}
	return Map{m.key, m.root.without(name)}
}

// All gives the values in order of name.
func (m Map) All() iter.Seq2[string, *Value] {
	return func(yield func(string, *Value) bool) { m.root.each(yield) }
}

// Len counts the values. It costs O(n).
func (m Map) Len() int {
	n := 0
	for range m.All() {
		n++
	}
	return n
}

func (n *node) total() Sum {
	if n == nil {
		return Sum{}
	}
	return n.sum
}

// term is the part of the sum that is the node's own.
func (n *node) term() Sum { return n.sum.minus(n.left.total()).minus(n.right.total()) }

// below puts a node with a term of its own above two others.
func (n *node) below(term Sum, left, right *node) *node {
	n.left, n.right = left, right
	n.sum = term.Plus(left.total()).Plus(right.total())
	return n
}

// over says whether a node belongs above another.
func (n *node) over(o *node) bool {
	if n.rank != o.rank {
		return n.rank > o.rank
	}
	return n.name < o.name
}

func (n *node) with(fresh *node) *node {
	switch {
	case n == nil:
		return fresh
	case n.name == fresh.name:
		return fresh.below(fresh.sum, n.left, n.right)
	case fresh.over(n):
		left, _, right := n.split(fresh.name)
		return fresh.below(fresh.sum, left, right)
	case fresh.name < n.name:
		return n.above(n.left.with(fresh), n.right)
	}
	return n.above(n.left, n.right.with(fresh))
}

// above is a copy of a node with others below it.
func (n *node) above(left, right *node) *node {
	c := *n
	return c.below(n.term(), left, right)
}

func (n *node) without(name string) *node {
	if n.name == name {
		return join(n.left, n.right)
	}
	if name < n.name {
		return n.above(n.left.without(name), n.right)
	}
	return n.above(n.left, n.right.without(name))
}

// split parts a tree into what is before a name, its value, and what is after it.
func (n *node) split(name string) (before *node, at *Value, after *node) {
	switch {
	case n == nil:
		return nil, nil, nil
	case n.name == name:
		return n.left, n.value, n.right
	}
	if name < n.name {
		before, at, after = n.left.split(name)
		return before, at, n.above(after, n.right)
	}
	before, at, after = n.right.split(name)
	return n.above(n.left, before), at, after
}

// join puts two trees together, all of one before all of the other.
func join(a, b *node) *node {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	case a.over(b):
		return a.above(a.left, join(a.right, b))
	}
	return b.above(join(a, b.left), b.right)
}

func (n *node) each(yield func(string, *Value) bool) bool {
	return n == nil || n.left.each(yield) && yield(n.name, n.value) && n.right.each(yield)
}
