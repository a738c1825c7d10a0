package schedule

import "math/bits"

// bitset is a set of small numbers that finds the next member in O(log64 n): a
// bit of each level says whether a word of the level below has any. Level 0, of
// the numbers themselves, stands by itself, for it is all that most calls need.
type bitset struct {
	words []uint64
	above [][]uint64
}

// bitsetWords is how many words newBitset takes for numbers below n.
func bitsetWords(n int) int {
	total := 0
	for {
		n = (n + 63) / 64
		total += n
		if n <= 1 {
			return total
		}
	}
}

// newBitset cuts an empty set for numbers below n from words and returns the rest.
func newBitset(n int, words []uint64) (bitset, []uint64) {
	n = (n + 63) / 64
	s := bitset{words: words[:n:n]}
	words = words[n:]
	for n > 1 {
		n = (n + 63) / 64
		s.above = append(s.above, words[:n:n])
		words = words[n:]
	}
	return s, words
}

func (s *bitset) has(i int32) bool { return s.words[i>>6]>>(i&63)&1 != 0 }

func (s *bitset) add(i int32) {
	w := &s.words[i>>6]
	had := *w != 0
	*w |= 1 << (i & 63)
	if !had {
		s.addAbove(i >> 6)
	}
}

func (s *bitset) addAbove(i int32) {
	for _, words := range s.above {
		w := &words[i>>6]
		had := *w != 0
		*w |= 1 << (i & 63)
		if had {
			return
		}
		i >>= 6
	}
}

func (s *bitset) remove(i int32) {
	w := &s.words[i>>6]
	*w &^= 1 << (i & 63)
	if *w == 0 {
		s.removeAbove(i >> 6)
	}
}

func (s *bitset) removeAbove(i int32) {
	for _, words := range s.above {
		w := &words[i>>6]
		*w &^= 1 << (i & 63)
		if *w != 0 {
			return
		}
		i >>= 6
	}
}

// next returns the least member that is at least i, or None.
func (s *bitset) next(i int32) int32 {
	if int(i>>6) >= len(s.words) {
		return None
	}
	if w := s.words[i>>6] >> (i & 63); w != 0 {
		return i + int32(bits.TrailingZeros64(w))
	}
	return s.nextAbove(i>>6 + 1)
}

// nextAbove returns the least member from word i on, or None.
func (s *bitset) nextAbove(i int32) int32 {
	for l, words := range s.above {
		if int(i>>6) >= len(words) {
			return None
		}
		if w := words[i>>6] >> (i & 63); w != 0 {
			return s.descend(l, i+int32(bits.TrailingZeros64(w)))
		}
		i = i>>6 + 1
	}
	return None
}

// descend returns the least member below bit i of a level above.
func (s *bitset) descend(l int, i int32) int32 {
	for l > 0 {
		l--
		i = i<<6 + int32(bits.TrailingZeros64(s.above[l][i]))
	}
	return i<<6 + int32(bits.TrailingZeros64(s.words[i]))
}
