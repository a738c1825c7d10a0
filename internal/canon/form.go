package canon

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"slices"
)

// The form of a value is the same for all its texts and differs from that of every
// other value: a tag, the length of the body in one byte, the body. The body of a
// list is the forms of its items, that of an object its keys and values in the
// order of the keys, that of a string its bytes, that of a number its digits and
// exponent. A body that is longer than a byte can say is replaced by its SHA-256,
// and the tag says so. No form is therefore longer than 257 bytes, and sorting the
// members of an object never moves much, however large they are or deep inside.
const (
	head      = 2       // bytes before the body
	maxBody   = 255     // of a body that stands for itself
	hashed    = 0x80    // in the tag: the body is a SHA-256
	ample     = 4 << 20 // room to begin with for a long text
	stringTag = '"'
	numberTag = '0'
	objectTag = '{'
	listTag   = '['
)

// container is an object or list whose end is still to come.
type container struct {
	from    int // where its form begins
	members int // how many members those around it had before
}

// member is where the key and the value of a member of an object are.
type member struct {
	from, value, to int
	start           uint64 // the first bytes of the key, most keys differ in them
}

// appendForm appends the form of the value of a JSON text.
func appendForm(out, raw []byte) ([]byte, error) {
	var someOpen [8]container
	var someMembers [16]member
	open, members := someOpen[:0], someMembers[:0]
	s := newScanner(raw)
	for s.next() {
		switch s.kind {
		case beginObject, beginList:
			if len(out) == 0 {
				out = slices.Grow(out, min(len(raw), ample))
			}
			open = append(open, container{from: len(out), members: len(members)})
			out = append(out, byte(s.kind), 0)
		case endObject, endList:
			c := open[len(open)-1]
			open = open[:len(open)-1]
			out = sortMembers(out, members[c.members:])
			out = seal(out, c.from)
			members = members[:c.members]
		case keyToken:
			from := len(out)
			out = appendString(out, s.text[s.from+1:s.to-1], s.plain)
			members = append(members, member{from: from, value: len(out), start: startOf(out[from+head:])})
		case stringToken:
			out = appendString(out, s.text[s.from+1:s.to-1], s.plain)
		case numberToken:
			out = appendNumber(out, s.number())
		case nullToken, trueToken, falseToken:
			out = append(out, byte(s.kind), 0)
		}
	}
	return out, s.err
}

// seal ends the form that begins at from and goes on to the end of out.
func seal(out []byte, from int) []byte {
	body := out[from+head:]
	if len(body) <= maxBody {
		out[from+1] = byte(len(body))
		return out
	}
	return appendHashed(out[:from], out[from], body)
}

// appendHashed appends a form whose body is too long. The body may lie in out.
func appendHashed(out []byte, tag byte, body []byte) []byte {
	sum := sha256.Sum256(body)
	out = append(out, tag|hashed, sha256.Size)
	return append(out, sum[:]...)
}

// sortMembers puts the members of an object, which are the rest of out, in the order
// of their keys, and leaves the last of those with the same key. What encoding/json
// makes of a map is in this order already.
func sortMembers(out []byte, members []member) []byte {
	if len(members) == 0 {
		return out
	}
	begin, end := members[0].from, len(out)
	inOrder := true
	for i := range members {
		members[i].to = end
		if i > 0 {
			members[i-1].to = members[i].from
			inOrder = inOrder && compareKeys(out, members[i-1], members[i]) < 0
		}
	}
	if inOrder {
		return out
	}
	slices.SortFunc(members, func(a, b member) int {
		if c := compareKeys(out, a, b); c != 0 {
			return c
		}
		return cmp.Compare(a.from, b.from)
	})
	for i, m := range members {
		if i+1 < len(members) && compareKeys(out, m, members[i+1]) == 0 {
			continue
		}
		out = append(out, out[m.from:m.to]...)
	}
	n := copy(out[begin:], out[end:])
	return out[:begin+n]
}

// compareKeys is an order of keys, 0 if and only if they are equal.
func compareKeys(out []byte, a, b member) int {
	if a.start != b.start {
		return cmp.Compare(a.start, b.start)
	}
	if c := bytes.Compare(out[a.from+head:a.value], out[b.from+head:b.value]); c != 0 {
		return c
	}
	return cmp.Compare(out[a.from], out[b.from]) // a hash is no text of the same bytes
}

// startOf is the first eight bytes of a key, in the order of their bytes; a shorter
// one goes on with zeros.
func startOf(key []byte) uint64 {
	if len(key) >= 8 {
		return binary.BigEndian.Uint64(key)
	}
	var start uint64
	for i, c := range key {
		start |= uint64(c) << (56 - 8*i)
	}
	return start
}
